// Questions to the server. Each carries the token, which is taken from the address once.

const KEY = "curvewise-token";

// Take the token, or the ticket for it, out of the address into this tab alone.
export async function takeToken() {
  const given = new URLSearchParams(location.hash.slice(1));
  if (location.hash) history.replaceState(null, "", location.pathname);
  if (given.get("token")) sessionStorage.setItem(KEY, given.get("token"));
  if (given.get("ticket")) {
    const headers = { "X-Curvewise-Ticket": given.get("ticket") };
    const answer = await fetch("/ticket", { method: "POST", headers });
    if (answer.ok) sessionStorage.setItem(KEY, (await answer.json()).token);
  }
  return sessionStorage.getItem(KEY) !== null;
}

export class Refusal extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

// Ask, and return the answer; a refusal is thrown, in the words of the server.
export async function ask(method, path, { body, headers = {}, signal } = {}) {
  const all = { "X-Curvewise-Token": sessionStorage.getItem(KEY) || "", ...headers };
  let answer;
  try {
    answer = await fetch(path, { method, body, headers: all, signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refusal("The server does not answer. Is curvewise serve still running?", 0);
  }
  if (answer.ok) return answer;
  let message = `The server answered ${answer.status}.`;
  try {
    message = (await answer.json()).message || message;
  } catch {
    // Not every answer is JSON.
  }
  throw new Refusal(message, answer.status);
}

export async function askJson(method, path, question, signal) {
  const headers = { "Content-Type": "application/json" };
  const body = question === undefined ? undefined : JSON.stringify(question);
  return (await ask(method, path, { body, headers, signal })).json();
}

// Read server-sent events as they come; EventSource could not send the token.
export async function readEvents(path, take) {
  const answer = await ask("GET", path);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += value;
    const parts = text.split("\n\n");
    text = parts.pop();
    for (const part of parts) {
      if (part.startsWith("data: ")) take(JSON.parse(part.slice(6)));
    }
  }
}
