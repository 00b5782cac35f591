import { setTimeout as pause } from "node:timers/promises"
import type { FastifyReply, FastifyRequest } from "fastify"
import { escapeHtml } from "../../core/text/html.ts"
import { sendPage } from "./layout.ts"

/** The fields of these forms are small; larger bodies are not kept in memory. */
export const FORM = { bodyLimit: 65_536 } as const

/** Reads the fields of a submitted form; a missing one is empty. */
export function formOf(request: FastifyRequest): (name: string) => string {
  const fields = new URLSearchParams(Buffer.isBuffer(request.body) ? request.body.toString("utf8") : "")
  return (name) => fields.get(name) ?? ""
}

/** The code in the link; empty where there is none. */
export const codeOf = (request: FastifyRequest): string => new URLSearchParams(request.url.split("?")[1]).get("code") ?? ""

const MIN_RESPONSE_MS = 400

/** Waits for the work, and always for the same minimal time, so that the response time doesn't reveal whether there was work to do. */
export async function inConstantTime(work: Promise<void>): Promise<void> {
  await Promise.all([work, pause(MIN_RESPONSE_MS)])
}

/** Sends a page that may hold a code and must not be cached. */
export const sendPrivatePage = (reply: FastifyReply, status: number, title: string, body: string): FastifyReply =>
  sendPage(reply.header("cache-control", "no-store"), status, title, `<h1>${escapeHtml(title)}</h1>${body}`)

/** The problem with the submitted form, if any, as a sentence: "[new_password]: must …" reads "New password must ….". */
export function problemHtml(problem: string): string {
  if (problem === "") return ""
  const words = problem.replace(/^\[(\w+)\]:/, (_, field: string) => field.replaceAll("_", " "))
  const sentence = `${words.charAt(0).toUpperCase()}${words.slice(1)}${words.endsWith(".") ? "" : "."}`
  return `<p role="alert">${escapeHtml(sentence)}</p>`
}

/** A form that asks for an address only. */
export const addressForm = (action: string, button: string): string =>
  `<form method="post" action="${action}">
<label>E-mail address <input name="address" type="email" autocomplete="email" maxlength="254" required></label>
<button>${button}</button></form>`

/** On a site without mail, names the administrator's command that does the same. */
export const withoutMail = (what: string, command: string): string =>
  `<p role="alert">This site sends no mail.</p><p>Ask an administrator of the site ${what}, with the command</p><p><code>${escapeHtml(command)}</code></p>`
