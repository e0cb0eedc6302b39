// Declarations that the platform's types lack.

interface ErrorConstructor {
  captureStackTrace(target: object, below?: (...args: never) => unknown): void;
}

/** The code of the run, placed beside the harness when the isolate is created. */
declare module "*/code.js" {
  const code: Record<string, unknown>;
  export = code;
}
