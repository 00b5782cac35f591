import { writesCode } from "../../../access/policies/code.ts"
import { onRepositoryUnitRead } from "../../../access/policies/repositories.ts"
import { refuse } from "../../../core/errors.ts"
import { type Html, html } from "../../../core/html.ts"
import { type Page, page, sentText } from "../../../core/page.ts"
import Type from "../../../core/schema.ts"
import { type Located, locateCode, type OnCode } from "../../../features/code/contents/locate.ts"
import { listNamed } from "../../../features/code/history/store.ts"
import { listTags } from "../../../features/code/tags/store.ts"
import { isBranchName } from "../../../git/index.ts"
import { withQuery } from "../../../web/address.ts"
import { formButton } from "../../../web/form.ts"
import { icon } from "../../../web/icon.ts"
import { revisionLink } from "../../parts/code/parts.ts"
import { createBranchForm } from "./branches/page.ts"

const VIEWS = ["src", "blame", "commits"] as const

/** What the script of the menu of branches and tags fetches: a page of either, with those whose names have a text. */
export const refPages: readonly Page[] = [
  page({
    id: "code.refs",
    address: "GET /{owner}/{repo}/ref-list/{filepath}",
    access: onRepositoryUnitRead("code"),
    rows: 50,
    query: {
      kind: Type.Optional(Type.String()),
      view: Type.Optional(Type.String()),
      q: Type.Optional(Type.String({ maxLength: 255 })),
    },
    answer: async (call) => {
      const { db, query, page: rows, reader, repository } = call
      const located = await locateCode(call, call.path.filepath)
      if (!located) throw refuse.notFound()
      const kind = query.kind === "tag" ? "tag" : "branch"
      const view = VIEWS.find((name) => name === query.view) ?? "src"
      const text = query.q?.trim() ?? ""
      const { rows: found, total } =
        kind === "tag" ? await listTags(db, repository.id, rows, text) : await listNamed(db, repository, text, rows)
      const { revision, parts } = located
      const links = found.map(({ name }) =>
        revisionLink(
          call,
          { kind, name },
          {
            view,
            parts,
            isCurrent: revision.kind === kind && revision.name === name,
            isDefault: kind === "branch" && name === repository.default_branch,
          },
        ),
      )
      const list = html`
        ${total === 0 ? nothingFound(call, located, kind, text) : links}
        ${rows.offset + found.length < total && html`<a data-more href="${withQuery(reader.url, { page: rows.number + 1 })}">Show more</a>`}
      `
      return sentText("text/html;charset=utf-8", String(list), { "content-security-policy": "default-src 'none'; sandbox" })
    },
  }),
]

/** Who may can make a branch with the name that was looked for. */
function nothingFound(call: OnCode, { revision, parts }: Located, kind: "branch" | "tag", text: string): Html {
  if (kind === "tag") return text === "" ? html`<p>No tags yet.</p>` : html`<p>No tag has this in its name.</p>`
  if (!writesCode(call) || !isBranchName(text)) return html`<p>No branch has this in its name.</p>`
  const from = revision.kind === "commit" ? revision.name.slice(0, 10) : revision.name
  return formButton(
    createBranchForm,
    { owner: call.owner.name, repo: call.repository.name },
    html`${icon("git-branch")}<span class="break">Create branch <bdi class="strong">${text}</bdi> from <bdi>${from}</bdi></span>`,
    { new_branch_name: text, old_ref_name: revision.commit.id, here: `/${parts.join("/")}` },
  )
}
