import { onIssuesSignedIn } from "../../../access/policies/issues.ts"
import { Refusal, Renamed, refuse } from "../../../core/errors.ts"
import { html } from "../../../core/html.ts"
import { type Text, t } from "../../../core/language/message.ts"
import { moved, type Page, page } from "../../../core/page.ts"
import Type from "../../../core/schema.ts"
import type { Item, Outcome } from "../../../features/site/batch/batch.ts"
import { path, repositoryPath, withQuery } from "../../../web/address.ts"
import { state } from "../../../web/components.ts"
import { sentence } from "../../../web/problem.ts"
import { plural } from "../../../web/time.ts"
import { repositoryPage } from "../frame.ts"

/** One change of several issues or pull requests, chosen in a list: a batch, in which each is changed by its operation, with its own access and rules. */

/** The most that are changed at once: the rows of a list. */
const MOST = 50

/** What is done with each, below its address. */
type Change = Pick<Item, "method" | "body"> & { readonly below: string }

/** The changes by the words of the menu, as `bulkBar` writes them: `close`, `label 3`, `unlabel 3`, `milestone 0`, `assign ann`. */
function changeNamed(text: string): Change | undefined {
  const [word = "", what = ""] = text.split(" ", 2)
  const edit = (body: object): Change => ({ method: "PATCH", below: "", body })
  if (word === "close" || word === "reopen") return edit({ state: word === "close" ? "closed" : "open" })
  if (word === "milestone" && /^\d{1,15}$/.test(what)) return edit({ milestone: Number(what) })
  if (word === "label" && /^\d{1,15}$/.test(what)) return { method: "POST", below: "/labels", body: { labels: [Number(what)] } }
  if (word === "unlabel" && what !== "") return { method: "DELETE", below: path("labels", what) }
  if (word === "assign" && what !== "") return { method: "POST", below: "/assignees", body: { assignees: [what] } }
  return undefined
}

/** Why an operation was refused, for the list; throws what is no refusal of it. */
function whyRefused(outcome: Outcome | undefined): Text | undefined {
  if (outcome?.kind !== "refused") return undefined
  const { error } = outcome
  // Its number leads to where it is by now.
  if (error instanceof Renamed) return t("Transferred to another repository.")
  if (!(error instanceof Refusal) || error.status >= 500) throw error
  return sentence(error.said)
}

const text = Type.Optional(Type.String())

export const bulkPages: readonly Page[] = [
  page({
    id: "issue.bulk",
    address: "POST /{owner}/{repo}/issues/bulk",
    access: onIssuesSignedIn,
    query: { numbers: Type.Optional(Type.Array(Type.String())), change: text, q: text, kind: text },
    answer: async (call) => {
      const { services, actor, query, reader } = call
      const list = query.kind === "pulls" ? ("pulls" as const) : ("issues" as const)
      const back = withQuery(`${repositoryPath(call)}/${list}`, { q: query.q })
      const change = changeNamed(query.change ?? "")
      if (!change) throw refuse.invalid("change", "choose what is to be changed")
      const numbers = [...new Set(query.numbers ?? [])].filter((number) => /^\d{1,9}$/.test(number)).slice(0, MOST)
      if (numbers.length === 0) throw refuse.invalid("numbers", "choose at least one of the list")
      const at = path("repos", call.path.owner, call.path.repo, "issues")
      const { literally, runBatch } = await import("../../../features/site/batch/batch.ts")
      const items = numbers.map((number): Item => ({ ...change, path: `${at}/${number}${change.below}`, body: literally(change.body) }))
      const request = { id: reader.requestId, ip: reader.ip }
      const outcomes = await runBatch(services, { items, atomic: false, dryRun: false, caller: { actor }, request })
      const results = numbers.map((number, index) => ({ number, refused: whyRefused(outcomes[index]) }))
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
