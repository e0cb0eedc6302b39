// The addresses of a machine's network and the sockets at which everything arrives that the machine sends out. network.pl
// opens these sockets, and the machine's first Node process inherits them and passes them to the engine.

export const GATEWAY_ADDRESS = "10.0.0.1";
export const MACHINE_ADDRESS = "10.0.0.2";

export type CapturedKind = "http" | "dns-tcp" | "dns-udp";

interface InheritedSocket {
  /** One digit: process 1 is a shell (supervise.sh), which can close no others. Descriptors 3 and 4 are in use. */
  readonly descriptor: number;
  readonly kind: CapturedKind;
  readonly address: string;
  readonly port: number;
}

/** HTTP and HTTPS to any address, and DNS. The kernel refuses everything else. */
export const INHERITED_SOCKETS: readonly InheritedSocket[] = [
  { descriptor: 5, kind: "http", address: "0.0.0.0", port: 80 },
  { descriptor: 6, kind: "http", address: "0.0.0.0", port: 443 },
  { descriptor: 7, kind: "dns-udp", address: GATEWAY_ADDRESS, port: 53 },
  { descriptor: 8, kind: "dns-tcp", address: GATEWAY_ADDRESS, port: 53 },
];
