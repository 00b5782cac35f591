import type { FastifyRequest } from "fastify"
import { signedInAs } from "../../../core/actor.ts"
import type { Page } from "../../../core/page.ts"
import type { Services } from "../../../core/services.ts"
import { factorRefusal, mustSetUpFactor, SECOND_FACTOR_PATH } from "../../../features/people/sign-in/authenticate.ts"
import type { Session } from "../../../features/people/sign-in/sessions/sessions.ts"
import { ownPath } from "../../../web/address.ts"
import type { Send } from "../../routing/pipeline.ts"
import { leadTo } from "../../routing/redirect.ts"
import { NOT_SHARED } from "./policy.ts"

/**
 * Leads people who need a second factor by now, and have none, to the page where they set one up. Refuses their forms: what was typed is not to be lost on
 * the way.
 */
export async function leadToFactor(
  services: Services,
  page: Page,
  request: FastifyRequest,
  session: Session | undefined,
): Promise<Send | undefined> {
  if (!session || page.withoutFactor || !(await mustSetUpFactor(services, signedInAs(session.user)))) return undefined
  if (page.method === "POST") throw factorRefusal(services)
  return (reply) => leadTo(reply.headers(NOT_SHARED), `${SECOND_FACTOR_PATH}?redirect_to=${encodeURIComponent(ownPath(request.url))}`)
}

/** Refuses them a stream that goes on. */
export async function requireFactor(services: Services, session: Session | undefined): Promise<void> {
  if (session && (await mustSetUpFactor(services, signedInAs(session.user)))) throw factorRefusal(services)
}
