/** Sends files with their progress. Where the session has ended meanwhile, the person signs in and it goes on. */

import { element } from "./element.ts"
import { t } from "./words.ts"

export interface Sent {
  /** 0 where the connection broke off. */
  readonly status: number
  readonly text: string
}

interface Options {
  readonly accept: "application/json" | "text/html"
  readonly progress: (part: number) => void
  readonly signal: AbortSignal
}

/** Throws the signal's reason where it is not wanted any more. */
export async function sendFile(to: string, body: FormData, options: Options): Promise<Sent> {
  const sent = await once(to, body, options)
  options.signal.throwIfAborted()
  if (!sent.isOdd) return sent
  // Without a connection the script that asks can't be had either.
  const went = await import("./sign-in-again.ts").then(({ wentOn }) => wentOn()).catch(() => "offline" as const)
  options.signal.throwIfAborted()
  if (went === "again" || (went === "here" && sent.status !== 0)) return once(to, body, options)
  return sent.status === 0 ? sent : { status: 401, text: JSON.stringify({ message: t("You are not signed in.") }) }
}

/** Odd is what a session that has ended may look like. */
function once(to: string, body: FormData, { accept, progress, signal }: Options): Promise<Sent & { readonly isOdd: boolean }> {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest()
    const abort = (): void => request.abort()
    signal.addEventListener("abort", abort)
    request.upload.addEventListener("progress", ({ loaded, total }) => progress(total > 0 ? loaded / total : 0))
    request.addEventListener("loadend", () => {
      signal.removeEventListener("abort", abort)
      const { status, responseText: text, responseURL } = request
      const isElsewhere = responseURL !== "" && new URL(responseURL).pathname === "/user/login"
      resolve({ status, text, isOdd: status === 0 || status === 401 || isElsewhere })
    })
    request.open("POST", to)
    request.setRequestHeader("accept", accept)
    request.send(body)
  })
}

/** A member of what was answered as JSON. */
export function memberIn({ text }: Sent, name: string): unknown {
  try {
    const answer: unknown = JSON.parse(text)
    return Object.entries(answer ?? {}).find(([each]) => each === name)?.[1]
  } catch {
    return undefined
  }
}

export function textIn(sent: Sent, name: string): string | undefined {
  const value = memberIn(sent, name)
  return typeof value === "string" ? value : undefined
}

/** Why a file was not taken, as the server says it. */
export const reasonIn = (sent: Sent): string =>
  textIn(sent, "message")?.replace(/^\[\w+\]: /, "") ??
  (sent.status === 0 ? t("The connection broke off.") : t("It was not taken. Are you still signed in?"))

/** Sends a file for a text, shows its progress in the place, and gives its answer. Throws an Error that says why it could not be sent. */
export async function sendShown(place: Element, to: string, name: string, body: FormData): Promise<Sent> {
  const line = element("div", { className: "bar" })
  const label = element("label")
  const progress = element("progress", { max: 1, value: 0 })
  label.append(element("bdi", { textContent: name }), " ", progress)
  const cancel = element("button", { type: "button", className: "small", textContent: t("Cancel") })
  line.append(label, cancel)
  place.append(line)
  const stop = new AbortController()
  cancel.addEventListener("click", () => stop.abort(new Error(t("not sent"))))
  try {
    const shows = (part: number): void => {
      progress.value = part
    }
    const sent = await sendFile(to, body, { accept: "application/json", progress: shows, signal: stop.signal })
    if (sent.status !== 200) throw new Error(reasonIn(sent))
    return sent
  } finally {
    line.remove()
  }
}

let marks = 0
/** What stands in a text until the file is there. */
export function markFor(name: string): string {
  marks += 1
  return `[Sending ${name.replaceAll(/[[\]\r\n]/g, " ")} (${marks})…]()`
}

/** Says in the place why something could not be sent. */
export function sayFault(place: Element, text: string): void {
  place.append(element("p", { className: "fault", dir: "auto", textContent: text }))
}
