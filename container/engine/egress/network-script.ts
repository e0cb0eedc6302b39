// The perl program that gives a machine its network: two namespaces joined by a pair of devices. The machine's own has an
// address and a default route; in the other, where no process lives, every address is local, so that whatever is sent out
// arrives at the sockets opened there (captured-ports.ts, DNS). Everything else is refused at once by the kernel.
//
// The sockets outlive the move and are inherited by the program that is run, which gives them to the engine. Two namespaces,
// because in one the sockets would take their ports from the machine's own programs.

import { CAPTURED_PORTS, DNS_TCP_SOCKET, DNS_UDP_SOCKET, FIRST_SOCKET } from "./captured-ports.ts";

/** What a machine asks for names, and its way out. */
export const GATEWAY = "10.0.0.1";

/** System calls that perl has no names for. */
const UNSHARE = { x64: 272, arm64: 97 }[process.arch === "arm64" ? "arm64" : "x64"];

/**
 * Arguments: the program to run and its arguments. When all is well it finds SANDBOX_EGRESS=1 in its environment; else it
 * has loopback only.
 */
export const NETWORK_SCRIPT = `
use strict; use Socket; use POSIX ();
$^F = 255;
sub listener {
  my ($number, $type, $address, $port) = @_;
  socket(my $s, AF_INET, $type, 0) or die "socket: $!";
  setsockopt($s, SOL_SOCKET, SO_REUSEADDR, 1);
  setsockopt($s, 0, 15, pack("i", 1)); # IP_FREEBIND: the address is not there yet
  bind($s, pack_sockaddr_in($port, inet_aton($address))) or die "bind: $!";
  if ($type == SOCK_STREAM) { listen($s, 1024) or die "listen: $!" }
  POSIX::dup2(fileno($s), $number);
  close($s);
}
sub ip {
  open(my $ip, "|-", "exec ip -batch - 2>/dev/null") or return 0;
  print $ip join("\\n", @_), "\\n";
  return close($ip);
}
sub connected {
${CAPTURED_PORTS.map((port, index) => `  listener(${FIRST_SOCKET + index}, SOCK_STREAM, "0.0.0.0", ${port});`).join("\n")}
  listener(${DNS_UDP_SOCKET}, SOCK_DGRAM, "${GATEWAY}", 53);
  listener(${DNS_TCP_SOCKET}, SOCK_STREAM, "${GATEWAY}", 53);
  pipe(my $moved, my $tell) or die;
  my $helper = fork;
  die unless defined $helper;
  if ($helper == 0) {
    close($tell);
    POSIX::close($_) for ${FIRST_SOCKET} .. ${DNS_TCP_SOCKET};
    my $line = <$moved>;
    POSIX::_exit(ip(
      "link set lo up",
      "link add gateway type veth peer name eth0 netns " . getppid(),
      "addr add ${GATEWAY}/30 dev gateway", "link set gateway up",
      # Every address is local but the machine's own.
      "route add unicast 10.0.0.2/32 dev gateway table local scope link",
      "route add local default dev lo table local",
    ) ? 0 : 1);
  }
  syscall(${UNSHARE}, 0x40000000) == 0 or die "unshare: $!";
  close($moved); close($tell);
  waitpid($helper, 0);
  $? == 0 or die "gateway";
  ip("link set lo up", "addr add 10.0.0.2/30 dev eth0", "link set eth0 up", "route add default via ${GATEWAY}") or die "route";
  # Refused here: the gateway's kernel says so a few times a second only, and answers pings itself. Not every kernel can.
  ip(
    "rule add priority 10 ipproto udp to ${GATEWAY} dport 53 lookup main",
    map { "rule add priority 11 ipproto $_ prohibit" } "udp", "icmp",
  );
  return 1;
}
if (eval { connected() }) { $ENV{SANDBOX_EGRESS} = 1 }
else {
  print STDERR "no network: $@";
  POSIX::close($_) for ${FIRST_SOCKET} .. ${DNS_TCP_SOCKET};
  ip("link set lo up") or do { socket(my $s, AF_INET, SOCK_DGRAM, 0); ioctl($s, 0x8914, pack("a16s", "lo", 0x49)) };
}
exec @ARGV;
`;
