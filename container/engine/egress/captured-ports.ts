// What of a machine's connections to the outside is captured, and by which numbers the sockets are inherited.

/** HTTP and HTTPS. The kernel refuses all others. */
export const CAPTURED_PORTS = [80, 443];

/** Of the captured ports in their order. All have one digit: process 1 is a shell that closes no others. */
export const FIRST_SOCKET = 5;
export const DNS_UDP_SOCKET = FIRST_SOCKET + CAPTURED_PORTS.length;
export const DNS_TCP_SOCKET = DNS_UDP_SOCKET + 1;
