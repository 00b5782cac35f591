import { onRepositoryUnitRead } from "../../../access/policies/repositories.ts"
import { refuse } from "../../../core/errors.ts"
import { html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import { moved, type Page, page } from "../../../core/page.ts"
import Type from "../../../core/schema.ts"
import { explicitForm, locateCode } from "../../../features/code/contents/locate.ts"
import { findPaths } from "../../../features/code/contents/path-list.ts"
import { repositoryPath } from "../../../web/address.ts"
import { empty, filterForm } from "../../../web/components.ts"
import { finderData, finderPath, foundFile } from "../../parts/code/finder.ts"
import { pathCrumbs, revisionMenu } from "../../parts/code/parts.ts"
import { repositoryPage } from "../frame.ts"

/** The most files that are listed. */
const MOST = 100

/** Files by some letters of their paths, for who has no scripts; with them the same page finds while one types. */
export const findPages: readonly Page[] = [
  page({
    id: "code.find",
    address: "GET /{owner}/{repo}/find/{filepath}",
    access: onRepositoryUnitRead("code"),
    query: { q: Type.Optional(Type.String({ maxLength: 255 })) },
    answer: async (call) => {
      const located = await locateCode(call, call.path.filepath)
      if (!located) return moved(`${repositoryPath(call)}/find/${await explicitForm(call, call.path.filepath)}`)
      if (located.parts.length > 0) throw refuse.notFound()
      const text = call.query.q ?? ""
      const found = await findPaths(call.services, located, text, MOST)
      return repositoryPage(call, {
        tab: "code",
        title: t("Go to file at {name}", { name: located.revision.name }),
        modules: ["finder", "refs"],
        unlisted: true,
        body: html`
          <h1 class="hidden-text">Go to file</h1>
          <div class="bar">${revisionMenu(call, located, "src")}${pathCrumbs(call, located, "src")}</div>
          <div class="finder" ${finderData(call, located)}>
            ${filterForm(finderPath(call, located), text, t("Go to file"))}
            ${
              found.length === 0
                ? empty("search", t("No files found"), t("Type some letters of the path, in the order in which they stand."))
                : html`<ul class="rows">${found.map((each) => foundFile(call, located, each))}</ul>`
            }
            ${found.length === MOST && html`<p class="muted small">Only the first 100 are listed. Type more to find others.</p>`}
          </div>
        `,
      })
    },
  }),
]
