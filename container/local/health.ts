// Whether the Worker answers.

export async function answersHealth(port: number, timeoutMs: number): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/health`, {
      signal: AbortSignal.timeout(timeoutMs),
      headers: { connection: "close" },
    });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    // Nobody listens, or nobody answers in time.
    return false;
  }
}
