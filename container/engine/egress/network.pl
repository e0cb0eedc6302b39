#!/usr/bin/perl
# Gives a machine its network, then becomes the command: two network namespaces joined by a pair of devices. The machine's
# own has an address and a default route. In the other one, which no process lives in, every address is local, so that
# whatever the machine sends arrives at the sockets opened there; everything else is refused at once by the kernel. With one
# namespace only, the sockets would take their ports from the machine's own programs.
#
# Arguments: the number of the system call unshare, the gateway's address, the machine's address, the sockets as
# `DESCRIPTOR:tcp|udp:ADDRESS:PORT` joined by commas, the command. The command inherits the sockets at their descriptors and
# finds SANDBOX_EGRESS=1 in its environment. Where no sockets are given, or any step fails, it has loopback only.
use strict;
use warnings;
use POSIX ();
use Socket;

my $CLONE_NEWNET = 0x40000000;
my $IP_FREEBIND = 15;
my ($SIOCSIFFLAGS, $IFF_UP_LOOPBACK_RUNNING) = (0x8914, 0x49);

# Sockets stay open in the command.
$^F = 255;

my ($unshare, $gateway, $machine, $list) = splice @ARGV, 0, 4;
my @sockets = map { [split /:/] } split /,/, $list;

if (@sockets && eval { connect_to_gateway(); 1 }) {
  $ENV{SANDBOX_EGRESS} = 1;
} else {
  print STDERR "no network: $@" if @sockets;
  close_sockets();
  ip("link set lo up") or bring_up_loopback();
}
exec @ARGV or die "exec: $!";

sub connect_to_gateway {
  open_socket(@$_) for @sockets;
  pipe(my $moved, my $tell) or die "pipe: $!";
  my $helper = fork;
  die "fork: $!" unless defined $helper;
  if ($helper == 0) {
    # The helper stays in the gateway's namespace, and begins when the machine has moved to its own.
    close $tell;
    close_sockets();
    my $end = <$moved>;
    POSIX::_exit(set_up_gateway() ? 0 : 1);
  }
  syscall(0 + $unshare, $CLONE_NEWNET) == 0 or die "unshare: $!";
  close $moved;
  close $tell;
  waitpid $helper, 0;
  $? == 0 or die "the gateway's devices";
  set_up_machine() or die "the machine's devices";
}

sub open_socket {
  my ($descriptor, $protocol, $address, $port) = @_;
  my $type = $protocol eq "tcp" ? SOCK_STREAM : SOCK_DGRAM;
  socket(my $socket, AF_INET, $type, 0) or die "socket: $!";
  setsockopt($socket, SOL_SOCKET, SO_REUSEADDR, 1);
  # The gateway's address does not exist yet.
  setsockopt($socket, Socket::IPPROTO_IP, $IP_FREEBIND, pack("i", 1));
  bind($socket, pack_sockaddr_in($port, inet_aton($address))) or die "bind: $!";
  if ($type == SOCK_STREAM) { listen($socket, 1024) or die "listen: $!" }
  POSIX::dup2(fileno($socket), $descriptor) or die "dup2: $!";
  close $socket;
}

sub close_sockets {
  POSIX::close($_->[0]) for @sockets;
}

sub set_up_gateway {
  return ip(
    "link set lo up",
    "link add gateway type veth peer name eth0 netns " . getppid(),
    "addr add $gateway/30 dev gateway",
    "link set gateway up",
    # Every address is local but the machine's own.
    "route add unicast $machine/32 dev gateway table local scope link",
    "route add local default dev lo table local",
  );
}

sub set_up_machine {
  ip(
    "link set lo up",
    "addr add $machine/30 dev eth0",
    "link set eth0 up",
    "route add default via $gateway",
  ) or return 0;
  # UDP other than DNS, and pings, are refused by the machine's own kernel: the gateway's says so a few times a second only,
  # and would answer pings. Not every kernel has such rules.
  ip(
    "rule add priority 10 ipproto udp to $gateway dport 53 lookup main",
    map { "rule add priority 11 ipproto $_ prohibit" } "udp", "icmp",
  );
  return 1;
}

# Runs lines of `ip -batch`; true when all of them succeeded.
sub ip {
  local $SIG{PIPE} = "IGNORE";
  open(my $ip, "|-", "exec ip -batch - 2>/dev/null") or return 0;
  print $ip join("\n", @_), "\n";
  return close $ip;
}

sub bring_up_loopback {
  socket(my $socket, AF_INET, SOCK_DGRAM, 0) or die "socket: $!";
  ioctl($socket, $SIOCSIFFLAGS, pack("a16s", "lo", $IFF_UP_LOOPBACK_RUNNING)) or die "ioctl: $!";
}
