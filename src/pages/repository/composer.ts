import { readableKinds } from "../../access/policies/issues.ts"
import { onRepositorySignedIn } from "../../access/policies/repositories.ts"
import { html } from "../../core/html.ts"
import { type Text, t } from "../../core/language/message.ts"
import { type Page, page, sentText } from "../../core/page.ts"
import Type from "../../core/schema.ts"
import { exploreAccounts } from "../../features/people/users/store.ts"
import { findIssuesBeginning } from "../../features/planning/composer/store.ts"
import { COMPOSED } from "../../web/composer.ts"
import { renderText } from "../parts/texts.ts"
import { repositoryPage } from "./frame.ts"

/** What the composer asks for: the text as it will look, and names that begin with what was typed. */

const text = Type.Optional(Type.String())

/** The most names that are offered. */
const OFFERED = 8

const LARGEST_TEXT = 1024 * 1024

interface Offer {
  /** What is written. */
  readonly text: Text
  readonly about: string
}

export const composerPages: readonly Page[] = [
  page({
    id: "composer.preview",
    address: "POST /{owner}/{repo}/preview",
    access: onRepositorySignedIn,
    bytes: LARGEST_TEXT,
    query: { preview: text, ...Object.fromEntries(COMPOSED.map((name) => [name, text])) },
    answer: async (call) => {
      const fields = new Map<string, unknown>(Object.entries(call.query))
      const name = COMPOSED.find((each) => each === fields.get("preview")) ?? "body"
      const written = fields.get(name)
      // The content of a page of the wiki: its links lead to other pages.
      const style = name === "content" ? "wiki" : "comment"
      const shown = await renderText(call, typeof written === "string" ? written : "", { style })
      return repositoryPage(call, {
        tab: "issues",
        title: t("Preview"),
        unlisted: true,
        body: html`
          <h1>Preview</h1>
          <section class="card inside" id="preview">
            ${String(shown) === "" ? html`<p class="muted">Nothing to preview</p>` : shown}
          </section>
        `,
      })
    },
  }),

  page({
    id: "composer.complete",
    address: "GET /{owner}/{repo}/complete",
    access: onRepositorySignedIn,
    query: { sign: text, q: text },
    answer: async (call) => {
      const { db, actor, query } = call
      const q = (query.q ?? "").slice(0, 100)
      const offers = async (): Promise<readonly Offer[]> => {
        if (query.sign === ":") {
          const { emojiBeginning } = await import("../../core/markup/emoji.ts")
          return emojiBeginning(q, OFFERED).map(([name, character]) => ({ text: `:${name}:`, about: character }))
        }
        if (query.sign === "#") {
          const found = await findIssuesBeginning(db, { repositoryId: call.repository.id, kinds: readableKinds(call), q, limit: OFFERED })
          return found.map(({ number, title }) => ({ text: `#${number}`, about: title }))
        }
        if (query.sign !== "@" || q === "") return []
        const people = { kind: "person", keyword: q, order: "alphabetically" } as const
        const { rows } = await exploreAccounts(db, actor, people, { limit: 50, offset: 0 })
        const isFirst = (name: string): boolean => name.toLowerCase().startsWith(q.toLowerCase())
        return [...rows.filter(({ name }) => isFirst(name)), ...rows.filter(({ name }) => !isFirst(name))]
          .slice(0, OFFERED)
          .map(({ name, full_name }) => ({ text: `@${name}`, about: full_name }))
      }
      return sentText("application/json;charset=utf-8", JSON.stringify(await offers()))
    },
  }),
]
