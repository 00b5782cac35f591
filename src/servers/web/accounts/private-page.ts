import type { FastifyReply } from "fastify"
import { type Content, type Html, html } from "../../../core/html.ts"
import type { Services } from "../../../core/services.ts"
import { notice } from "../../../web/components.ts"
import { sentence } from "../../../web/problem.ts"
import { sendShown } from "../pages/server.ts"

/** Sends a page beside the declared ones. It may hold a code, and nobody stores it. */
export const sendPrivatePage = (
  services: Services,
  reply: FastifyReply,
  status: number,
  title: string,
  body: Content,
  formTargets: readonly string[] = [],
): Promise<FastifyReply> =>
  sendShown(services, reply.request, reply, {
    kind: "shown",
    status,
    title,
    width: "narrow",
    unlisted: true,
    body: html`
      <h1>${title}</h1>
      ${body}
    `,
    formTargets,
  })

/** The problem with the submitted form, if any. */
export const problemHtml = (problem: string): Content => problem !== "" && notice("bad", sentence(problem))

/** A form that asks for an address only. */
export const addressForm = (action: string, button: string): Html =>
  html`
    <form class="form" method="post" action="${action}">
      <label class="field">
        E-mail address <input name="address" type="email" autocomplete="email" maxlength="254" required>
      </label>
      <div><button class="primary">${button}</button></div>
    </form>
  `

/** On a site without mail, names the administrator's command that does the same. */
export const withoutMail = (what: string, command: string): Html =>
  html`
    ${notice("warn", "This site sends no mail.")}
    <p>Ask an administrator of the site ${what}, with the command</p>
    <p><code>${command}</code></p>
  `
