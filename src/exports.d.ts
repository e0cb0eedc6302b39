// What index.ts exports, for `exports` of an execution context.

declare namespace Cloudflare {
  interface GlobalProps {
    mainModule: typeof import("./index.ts");
  }
}
