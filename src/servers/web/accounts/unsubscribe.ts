import type { FastifyInstance, FastifyReply } from "fastify"
import { html } from "../../../core/html.ts"
import type { Services } from "../../../core/services.ts"
import { readSubscription, UNSUBSCRIBE_PATH, unsubscribe } from "../../../features/events/mail/unsubscribe.ts"
import { sendPrivatePage } from "./private-page.ts"

/**
 * The page behind the links of notification mails. Opening it changes nothing, as mail scanners follow links; the button does, and so does the
 * one-click request of a mail program (RFC 8058). No sign-in is needed: the link is signed.
 */
export function registerUnsubscribe(app: FastifyInstance, services: Services): void {
  app.get<{ Params: { word: string } }>(`${UNSUBSCRIBE_PATH}/:word`, async (request, reply) => {
    if (!readSubscription(services.secrets, request.params.word)) return unknown(services, reply)
    return sendPrivatePage(
      services,
      reply,
      200,
      "No more mail about this?",
      html`
        <p>You won’t be told of it again, unless somebody names you.</p>
        <form class="form" method="post"><button>Unsubscribe</button></form>
      `,
    )
  })

  // Mail programs in a browser send the one-click request from their own site.
  const options = { config: { fromAnySite: true } } as const
  app.post<{ Params: { word: string } }>(`${UNSUBSCRIBE_PATH}/:word`, options, async (request, reply) => {
    const subscription = readSubscription(services.secrets, request.params.word)
    if (!subscription) return unknown(services, reply)
    await services.database.write((tx) => unsubscribe(tx, subscription, services.now()))
    return sendPrivatePage(
      services,
      reply,
      200,
      "Unsubscribed",
      html`<p class="notice good" role="status">You get no more mail about this.</p>`,
    )
  })
}

const unknown = (services: Services, reply: FastifyReply): Promise<FastifyReply> =>
  sendPrivatePage(
    services,
    reply,
    404,
    "This link leads nowhere",
    html`<p class="notice bad" role="alert">It is incomplete, or comes from another site. Copy it from the mail once more.</p>`,
  )
