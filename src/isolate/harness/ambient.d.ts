// What the types of the platform do not say.

interface ErrorConstructor {
  captureStackTrace(target: object, below?: (...args: never) => unknown): void;
}

/** The code of the run, placed beside the harness when the isolate is made. */
declare module "*/code.js" {
  const code: Record<string, unknown>;
  export = code;
}
