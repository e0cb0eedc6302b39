// The harness is imported as text and not executed; see harness-modules.ts.

declare module "*.js" {
  const text: string;
  export default text;
}
