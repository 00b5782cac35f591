import type { FastifyInstance, FastifyReply } from "fastify"
import type { Services } from "../../core/services.ts"
import { readSubscription, UNSUBSCRIBE_PATH, unsubscribe } from "../../features/events/mail/unsubscribe.ts"
import { sendPage } from "./layout.ts"

/**
 * The page behind the links of notification mails. Opening it changes nothing, as mail scanners follow links; the button does, and so does the
 * one-click request of a mail program (RFC 8058). No sign-in is needed: the link is signed.
 */
export function registerUnsubscribe(app: FastifyInstance, services: Services): void {
  app.get<{ Params: { word: string } }>(`${UNSUBSCRIBE_PATH}/:word`, async (request, reply) => {
    if (!readSubscription(services.secrets, request.params.word)) return unknown(reply)
    return sendPage(
      reply,
      200,
      "Unsubscribe",
      `<h1>No more mail about this?</h1><p>You won’t be told of it again, unless somebody names you.</p><form method="post"><button>Unsubscribe</button></form>`,
    )
  })

  app.post<{ Params: { word: string } }>(`${UNSUBSCRIBE_PATH}/:word`, async (request, reply) => {
    const subscription = readSubscription(services.secrets, request.params.word)
    if (!subscription) return unknown(reply)
    await services.database.write((tx) => unsubscribe(tx, subscription, services.now()))
    return sendPage(reply, 200, "Unsubscribed", `<h1>Unsubscribed</h1><p role="status">You get no more mail about this.</p>`)
  })
}

const unknown = (reply: FastifyReply): FastifyReply =>
  sendPage(
    reply,
    404,
    "Unknown link",
    `<h1>This link leads nowhere</h1><p role="alert">It is incomplete, or comes from another site. Copy it from the mail once more.</p>`,
  )
