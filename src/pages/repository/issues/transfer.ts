import { onIssueAsWriter } from "../../../access/policies/issues.ts"
import type { Handle } from "../../../core/database/database.ts"
import { Refusal, refuse } from "../../../core/errors.ts"
import { html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import { moved, type Page, page, type Shown } from "../../../core/page.ts"
import Type from "../../../core/schema.ts"
import { locateByName } from "../../../features/planning/dependencies/rules.ts"
import { transferIssue } from "../../../features/planning/transfers/rules.ts"
import { findTargets } from "../../../features/planning/transfers/store.ts"
import { empty, filterForm } from "../../../web/components.ts"
import type { ConversationCall } from "../../parts/conversation/call.ts"
import { conversationPath } from "../../parts/conversation/call.ts"
import { TRANSFER, transferForm } from "../../parts/conversation/transfer-form.ts"
import { titleOf } from "../../parts/issues/list-view.ts"
import { repositoryPage } from "../frame.ts"

/** Moving an issue to another repository. The API has no operation for it, so that the form calls the verb. */

async function targetsPage(call: ConversationCall, q: string): Promise<Shown> {
  const { db, actor, issue, repository } = call
  if (issue.is_pull === 1) throw refuse.notFound()
  const targets = actor.kind === "user" ? await findTargets(db, actor, repository.id, q) : []
  const here = conversationPath(call)
  return repositoryPage(call, {
    tab: "issues",
    title: t("Move #{number}", { number: issue.number }),
    unlisted: true,
    body: html`
      <h1>Move <a href="${here}" dir="auto">${titleOf(issue.title)} <span class="muted">#${issue.number}</span></a></h1>
      ${filterForm(`${here}/transfer`, q, t("Part of the name"))}
      ${
        targets.length === 0
          ? empty("repo", t("No repositories found"), t("You can transfer it to repositories where you have write access to issues."))
          : html`
            <details>
              <summary>${targets.length} to choose from</summary>
              <ul class="plain">${targets.map((name) => html`<li><bdi>${name}</bdi></li>`)}</ul>
            </details>
          `
      }
      ${transferForm(call, targets)}
    `,
  })
}

/** The repository of a name such as `owner/name`, as far as the caller may see it. */
async function locateTarget(db: Handle, { actor }: Pick<ConversationCall, "actor">, text: string) {
  const [, owner, name] = /^([\w.-]+)\/([\w.-]+)$/.exec(text) ?? []
  if (owner === undefined || name === undefined) throw refuse.invalid("repository", "must be like owner/name")
  return locateByName(db, actor, owner, name).catch((error: unknown) => {
    throw error instanceof Refusal && error.kind === "notFound" ? refuse.invalid("repository", "repository not found") : error
  })
}

const text = Type.Optional(Type.String())

export const transferPages: readonly Page[] = [
  page({
    id: "issue.targets",
    address: `GET ${TRANSFER.address}`,
    access: onIssueAsWriter,
    query: { q: text },
    answer: (call) => targetsPage(call, (call.query.q ?? "").trim().slice(0, 100)),
  }),

  page({
    id: TRANSFER.id,
    address: `POST ${TRANSFER.address}`,
    access: onIssueAsWriter,
    query: { repository: text, confirm: text },
    again: (call, refusal) => {
      const { repository = "", confirm = "" } = call.query
      const draft = { form: TRANSFER.id, path: call.path, refusal, typed: { repository: [repository], confirm: [confirm] } }
      return targetsPage({ ...call, draft }, "")
    },
    answer: async (call) => {
      const { services, query } = call
      const name = (query.repository ?? "").trim()
      if ((query.confirm ?? "").trim().toLowerCase() !== name.toLowerCase()) throw refuse.invalid("confirm", "must be the same name")
      const path = await services.database.write(async (tx) => {
        const target = await locateTarget(tx, call, name)
        return conversationPath({ ...target, issue: await transferIssue(tx, services, call, target) })
      })
      return moved(path, { flash: t("Issue transferred.") })
    },
  }),
]
