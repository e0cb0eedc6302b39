// Waits without blocking.

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
