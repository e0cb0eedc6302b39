// Bytes cross to the runner as base64.

export function toBase64(bytes: Uint8Array): string {
  let binary = "";
  // Arguments go on the stack.
  const piece = 8_192;
  for (let start = 0; start < bytes.length; start += piece) {
    binary += String.fromCharCode(...bytes.subarray(start, start + piece));
  }
  return btoa(binary);
}

export const fromBase64 = (text: string): Uint8Array => Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
