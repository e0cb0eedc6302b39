# The configuration of a workerd process that runs isolates. Its sockets are given on the command line.

using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (
      name = "isolates",
      worker = (
        modules = [(name = "isolates.js", esModule = embed "isolates.js")],
        compatibilityDate = "2026-11-01",
        bindings = [
          (name = "LOADER", workerLoader = ()),
          (name = "EGRESS", service = "egress"),
          (name = "EGRESS_TOKEN", fromEnvironment = "EGRESS_TOKEN"),
        ],
        globalOutbound = "egress",
      ),
    ),
    # The entrypoint IsolateEgressGate of the Worker, in the other process. It refuses requests without the token.
    (name = "egress", external = (http = ())),
  ],
  sockets = [
    (
      name = "run",
      # How Miniflare addresses RPC in its bindings to external services.
      http = (capnpConnectHost = "miniflare-unsafe-internal-capnp-connect"),
      service = (name = "isolates", entrypoint = "CodeRunner"),
    ),
  ],
);
