import { onIssuesSignedIn } from "../../../access/policies/issues.ts"
import { Refusal, Renamed, refuse } from "../../../core/errors.ts"
import { html } from "../../../core/html.ts"
import { type Text, t } from "../../../core/language/message.ts"
import { named, type Operation } from "../../../core/operation.ts"
import { moved, type Page, page } from "../../../core/page.ts"
import Type from "../../../core/schema.ts"
import { assigneeOperations } from "../../../features/planning/issues/assignee-operations.ts"
import { issueLabelOperations } from "../../../features/planning/issues/label-operations.ts"
import { issueOperations } from "../../../features/planning/issues/operations.ts"
import { repositoryPath, withQuery } from "../../../web/address.ts"
import { state } from "../../../web/components.ts"
import { sentence } from "../../../web/problem.ts"
import { plural } from "../../../web/time.ts"
import { repositoryPage } from "../frame.ts"

/** One change of several issues or pull requests, chosen in a list: each is changed by its operation, with its own access and rules. */

/** The most that are changed at once: the rows of a list. */
const MOST = 50

interface Change {
  readonly does: Operation
  readonly body: unknown
  readonly path?: Readonly<Record<string, string>>
}

/** The changes by the words of the menu, as `bulkBar` writes them: `close`, `label 3`, `unlabel 3`, `milestone 0`, `assign ann`. */
function changeNamed(text: string): Change | undefined {
  const [word = "", what = ""] = text.split(" ", 2)
  const edit = named(issueOperations, "issueEditIssue")
  if (word === "close" || word === "reopen") return { does: edit, body: { state: word === "close" ? "closed" : "open" } }
  if (word === "milestone" && /^\d{1,15}$/.test(what)) return { does: edit, body: { milestone: Number(what) } }
  if (word === "label" && /^\d{1,15}$/.test(what))
    return { does: named(issueLabelOperations, "issueAddLabel"), body: { labels: [Number(what)] } }
  if (word === "unlabel") return { does: named(issueLabelOperations, "issueRemoveLabel"), body: undefined, path: { id: what } }
  if (word === "assign" && what !== "") return { does: named(assigneeOperations, "issueAddAssignees"), body: { assignees: [what] } }
  return undefined
}

const text = Type.Optional(Type.String())

export const bulkPages: readonly Page[] = [
  page({
    id: "issue.bulk",
    address: "POST /{owner}/{repo}/issues/bulk",
    access: onIssuesSignedIn,
    query: { numbers: Type.Optional(Type.Array(Type.String())), change: text, q: text, kind: text },
    answer: async (call) => {
      const { services, db, actor, path, query, reader } = call
      const list = query.kind === "pulls" ? ("pulls" as const) : ("issues" as const)
      const back = withQuery(`${repositoryPath(call)}/${list}`, { q: query.q })
      const change = changeNamed(query.change ?? "")
      if (!change) throw refuse.invalid("change", "choose what is to be changed")
      const numbers = [...new Set(query.numbers ?? [])].filter((number) => /^\d{1,9}$/.test(number)).slice(0, MOST)
      if (numbers.length === 0) throw refuse.invalid("numbers", "choose at least one of the list")
      const results: { readonly number: string; readonly refused?: Text }[] = []
      for (const number of numbers) {
        try {
          const open = await change.does.open({
            services,
            db,
            actor,
            path: { owner: path.owner, repo: path.repo, index: number, ...change.path },
          })
          const request = { id: reader.requestId, ip: reader.ip }
          await open.run({ query: {}, body: change.body, page: { number: 1, limit: 1, offset: 0 }, request })
          results.push({ number })
        } catch (error) {
          // Its number leads to where it is by now.
          if (error instanceof Renamed) results.push({ number, refused: t("Transferred to another repository.") })
          else if (!(error instanceof Refusal) || error.status >= 500) throw error
          else results.push({ number, refused: sentence(error.said) })
        }
      }
      const done = results.filter(({ refused }) => refused === undefined).length
      if (done === results.length) return moved(back, { flash: t("{plural} made.", { plural: plural(done, "change") }) })
      return repositoryPage(call, {
        tab: list,
        title: t("Edit message"),
        unlisted: true,
        body: html`
          <h1>Edit message</h1>
          <p>${done} of ${results.length} changed.</p>
          <ul class="rows">
            ${results.map(
              ({ number, refused }) =>
                html`
                  <li>
                    <div class="main">
                      <p>
                        <a href="${repositoryPath(call)}/${list}/${number}">#${number}</a>${" "}
                        ${
                          refused === undefined
                            ? state("success", "check-circle", t("changed"))
                            : html`${state("failure", "x-circle", t("not changed"))} <span dir="auto">${refused}</span>`
                        }
                      </p>
                    </div>
                  </li>
                `,
            )}
          </ul>
          <p><a class="button" href="${back}">Back to list</a></p>
        `,
      })
    },
  }),
]
