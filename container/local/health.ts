// Asks the Worker whether it answers.

export async function answersHealth(port: number, timeoutMs: number): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/health`, {
      signal: AbortSignal.timeout(timeoutMs),
      headers: { connection: "close" },
    });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    // Nothing listens on the port, or the answer does not come in time.
    return false;
  }
}
