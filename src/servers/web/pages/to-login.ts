import type { FastifyReply, FastifyRequest } from "fastify"
import { t, textIn } from "../../../core/language/message.ts"
import { loginFor } from "../../../web/address.ts"
import { leadTo } from "../../routing/redirect.ts"
import { declaredRoute } from "../../routing/routes.ts"
import { flashCookie, isNavigation } from "./flash.ts"
import { cameFrom, languageFor } from "./surroundings.ts"

const FILE_NOT_SENT = t("Your session has ended and the file was not sent. Sign in, and choose it again.")

/** Leads to signing in, and back. */
export function toLogin(reply: FastifyReply, request: FastifyRequest): FastifyReply {
  // The browser does not send a file again by itself.
  if (request.method === "POST" && declaredRoute(request)?.body === "streamed" && isNavigation(request))
    reply.header("set-cookie", flashCookie(textIn(languageFor(request, undefined), FILE_NOT_SENT), undefined))
  return leadTo(reply.header("cache-control", "no-store"), loginFor(request.method === "GET" ? request.url : cameFrom(request)))
}
