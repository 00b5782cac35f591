import type { FastifyInstance } from "fastify"
import type { Services } from "../../core/services.ts"
import { escapeHtml } from "../../core/text/html.ts"
import { VERSION } from "../../core/version.ts"
import { sshRoot } from "../../features/code/repositories/urls.ts"
import { FORGOT_PATH } from "../../features/events/mail/compose-account.ts"
import { sendPage } from "./layout.ts"

/** The front page: says what this is and links to the rest. */
export function registerHome(app: FastifyInstance, services: Services): void {
  app.get("/", async (_request, reply) =>
    sendPage(
      reply,
      200,
      "Hearth",
      `<h1>Hearth</h1><p>This server hosts git repositories.</p>
<p>Its interface is described at <a href="/api/swagger">/api/swagger</a>. A repository is cloned by its owner's name and its own:</p>
<p><code>git clone ${escapeHtml(services.site.rootUrl)}/owner/name.git</code></p>${overSsh(services)}
<p><a href="/user/change_password">Change your password</a>, or <a href="${FORGOT_PATH}">set a new one</a> if you forgot it.</p>
<footer>Hearth ${VERSION}</footer>`,
    ),
  )
}

const overSsh = ({ site }: Services): string =>
  site.sshPort === undefined ? "" : `<p><code>git clone ${escapeHtml(sshRoot(site))}owner/name.git</code></p>`
