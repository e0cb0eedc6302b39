// A path as ripgrep prints it below the root ".", as answers show it.

export const cleanPath = (path: string): string => path.replace(/^(\.\/)+(?=.)/, "");
