import { signedIn } from "../../access/policies/site.ts"
import { Refusal } from "../../core/errors.ts"
import { type Content, html } from "../../core/html.ts"
import { type Text, t } from "../../core/language/message.ts"
import { type Page, page } from "../../core/page.ts"
import Type from "../../core/schema.ts"
import { explain } from "../../features/site/explain/explainer.ts"
import { EXPLAIN_PATH } from "../../web/address.ts"
import { field, notice } from "../../web/components.ts"
import { problem } from "../../web/problem.ts"
import { stepsView } from "../parts/explain.ts"

const text = (maxLength: number) => Type.Optional(Type.String({ maxLength }))

const ADDRESS = {
  label: t("Address"),
  name: "path",
  required: true,
  maxlength: 2048,
  hint: t("A page, the API or git: /owner/repository.git"),
} as const
const PERSON = {
  label: t("User name"),
  name: "as",
  maxlength: 255,
  hint: t("Empty for yourself. Administrators may ask about others."),
} as const

/** Where one asks why an address is there or not, for oneself or for somebody else. */
export const explainPages: readonly Page[] = [
  page({
    id: "site.explain",
    address: `GET ${EXPLAIN_PATH}`,
    access: signedIn,
    changesWithTime: true,
    query: { path: text(2048), as: text(255) },
    answer: async (call) => {
      const { path = "", as = "" } = call.query
      const { said, status } = await answerTo(call, path, as)
      return {
        kind: "shown",
        status,
        title: t("Who may do what, and why"),
        width: "narrow",
        unlisted: true,
        body: html`
          <h1>Who may do what, and why</h1>
          <form class="form" action="${EXPLAIN_PATH}">
            ${field({ ...ADDRESS, value: path })}
            ${field({ ...PERSON, value: as })}
            <div class="bar"><button class="primary">Explain</button></div>
          </form>
          ${said}
        `,
      }
    },
  }),
]

async function answerTo(
  call: Parameters<typeof explain>[0],
  path: string,
  as: string,
): Promise<{ readonly said: Content; readonly status: number }> {
  if (path === "") return { said: undefined, status: 200 }
  const { services, db, actor } = call
  try {
    const url = path.startsWith("/")
      ? path
      : path.startsWith(services.site.rootUrl)
        ? path.slice(services.site.rootUrl.length) || "/"
        : `/${path}`
    const { allowed, status, steps } = await explain({ services, db, actor }, { method: "GET", path: url, ...(as !== "" && { as }) })
    const who: Text = as === "" ? (actor.kind === "user" ? actor.user.name : "") : as
    const said = html`
      <h2 class="break">${who}: ${path}</h2>
      ${notice(allowed ? "good" : "bad", allowed ? t("Yes, this is allowed.") : t("No: the answer is {status}.", { status }))}
      ${stepsView(steps)}
    `
    return { said, status: 200 }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { said: problem(error), status: error.status }
  }
}
