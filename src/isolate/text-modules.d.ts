// The harness is imported as text, not run; see harness-modules.ts.

declare module "*.js" {
  const text: string;
  export default text;
}
