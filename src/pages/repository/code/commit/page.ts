import { onRepositoryUnitRead } from "../../../../access/policies/repositories.ts"
import { refuse } from "../../../../core/errors.ts"
import { html } from "../../../../core/html.ts"
import { type Page, page, sentText } from "../../../../core/page.ts"
import { oneOf } from "../../../../core/record.ts"
import Type from "../../../../core/schema.ts"
import { gitOf } from "../../../../features/code/commits/revision.ts"
import { isObjectId } from "../../../../git/index.ts"
import { repositoryPath } from "../../../../web/address.ts"
import { diffFields } from "../../../parts/diffs/choices.ts"
import { anchorOf, excerpt } from "../../../parts/diffs/diffs.ts"
import { expander, lineRow } from "../../../parts/diffs/lines-view.ts"
import { commitPage } from "./view.ts"

/** Lines that one click adds. */
const STEP = 40

const line = () => Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000_000 }))

const access = onRepositoryUnitRead("code")

/** The page of a commit, and what the script of differences fetches: lines between hunks with the way to the next of them. */
export const diffPages: readonly Page[] = [
  page({
    id: "commit.show",
    address: "GET /{owner}/{repo}/commit/{sha}",
    access,
    changesWithTime: true,
    query: {
      ...diffFields,
      /** Of a merge: the number of the parent that it is compared with. */
      parent: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
      containing: Type.Optional(Type.Boolean()),
    },
    answer: (call) => commitPage(call, call.path.sha),
  }),
  page({
    id: "code.excerpt",
    address: "GET /{owner}/{repo}/blob_excerpt/{sha}",
    access,
    query: {
      path: Type.Optional(Type.String()),
      from: line(),
      to: line(),
      shift: Type.Optional(Type.Integer({ minimum: -100_000_000, maximum: 100_000_000 })),
      opens: Type.Optional(oneOf(["up", "down"])),
      style: Type.Optional(oneOf(["unified", "split"])),
      whole: Type.Optional(Type.String()),
    },
    answer: async (call) => {
      const { services, path, query } = call
      const { path: name = "", from = 1, to = from, shift = 0, opens = "down", style = "unified" } = query
      if (!isObjectId(path.sha)) throw refuse.notFound()
      const first = opens === "up" ? Math.max(from, to - STEP + 1) : from
      const last = opens === "up" ? to : Math.min(to, from + STEP - 1)
      const found = await excerpt(services, { repository: gitOf(services, call), id: path.sha, name, from: first, to: last })
      if (!found) throw refuse.notFound()
      const anchor = anchorOf(name)
      const rows = found.lines.map((each) => {
        const shown = { kind: "context" as const, oldLine: each.line + shift, newLine: each.line, html: each.html }
        return lineRow(anchor, style, shown, shown)
      })
      // The address comes back to a page of this site, whatever it was.
      const whole = /^\/(?![/\\])/.test(query.whole ?? "") ? (query.whole ?? "") : repositoryPath(call)
      const place = { at: repositoryPath(call), blob: path.sha, path: name, anchor, style, whole }
      const rest = opens === "up" ? { from, to: first - 1, shift, opens } : { from: last + 1, to, shift, opens }
      const more = rest.from <= rest.to && found.lines.length > 0 && html`<div class="gap">${expander(rest, place)}</div>`
      const lines = html`<div class="diff-lines">${rows}</div>`
      return sentText("text/html;charset=utf-8", opens === "up" ? html`${more}${lines}` : html`${lines}${more}`, {
        "content-security-policy": "default-src 'none'; sandbox",
      })
    },
  }),
]
