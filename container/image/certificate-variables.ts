// The environment variables that tell programs with a certificate store of their own which bundle to trust. The engine sets
// them for its machines, the Dockerfile for its image, and the runner passes them on to commands.

export const CERTIFICATE_BUNDLE_VARIABLES = [
  "SSL_CERT_FILE",
  "REQUESTS_CA_BUNDLE",
  "CURL_CA_BUNDLE",
  "GIT_SSL_CAINFO",
  "PIP_CERT",
  "CARGO_HTTP_CAINFO",
  "AWS_CA_BUNDLE",
  "NIX_SSL_CERT_FILE",
  "HTTPLIB2_CA_CERTS",
  "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH",
];
