import { Mode } from "../../access/modes.ts"
import { writesKind } from "../../access/policies/issues.ts"
import { onHeld } from "../../access/policies/planning.ts"
import { form } from "../../core/forms/form.ts"
import { html } from "../../core/html.ts"
import { t } from "../../core/language/message.ts"
import { named } from "../../core/operation.ts"
import { type Page, page } from "../../core/page.ts"
import { secondsOf } from "../../core/record.ts"
import { newcomerOperations } from "../../features/review/newcomers/operations.ts"
import { path } from "../../web/address.ts"
import { empty, pager } from "../../web/components.ts"
import { formButton } from "../../web/form.ts"
import { icon } from "../../web/icon.ts"
import { time } from "../../web/time.ts"
import { heldText } from "../parts/held.ts"
import { repositoryPage } from "./frame.ts"

/** What newcomers have asked for, for those who decide about it. */
const held: Page = page({
  id: "repository.held",
  address: "GET /{owner}/{repo}/held",
  access: onHeld,
  answer: async (call) => {
    const { services, db, actor, repository, permission, draft, page: rows, reader } = call
    const [{ findWaiting }, { presentHeld }] = await Promise.all([
      import("../../features/planning/newcomers/store.ts"),
      import("../../features/planning/newcomers/present.ts"),
    ])
    const kinds = ([0, 1] as const).filter((is_pull) => writesKind(call, { is_pull }))
    const found = await findWaiting(db, repository.id, kinds, rows)
    const waiting = await presentHeld(db, services.site, actor, found.rows)
    const isOwner = permission.mode >= Mode.owner
    return repositoryPage(call, {
      tab: "issues",
      title: t("Waiting for approval"),
      unlisted: true,
      body: html`
        <h1>Waiting for approval</h1>
        ${
          waiting.length === 0
            ? empty(
                "person-add",
                t("Nothing waits"),
                t("First issues and pull requests of newcomers are here until somebody approves them."),
              )
            : html`
              <ul class="rows">
                ${waiting.map((each) => {
                  const to = { ...call.path, id: String(each.id) }
                  return html`
                    <li>
                      <div class="main">
                        ${heldText(each)}
                        <p class="meta">
                          ${each.author && html`<a href="${path(each.author.login)}"><bdi>${each.author.login}</bdi></a>`}
                          ${time(secondsOf(each.created_at) ?? 0)}
                        </p>
                        <div class="bar">
                          ${formButton(approve, to, html`${icon("check")}Approve`, {}, draft)}
                          ${formButton(reject, to, html`${icon("x")}Reject`, {}, draft)}
                          ${isOwner && formButton(rejectAndBlock, to, html`${icon("no-entry")}Reject and block`, {}, draft)}
                        </div>
                      </div>
                    </li>
                  `
                })}
              </ul>
              ${pager(reader.url, rows, found.total)}
            `
        }
      `,
    })
  },
})

const approve = form({
  id: "held.approve",
  address: "POST /{owner}/{repo}/held/{id}/approve",
  does: named(newcomerOperations, "repoApproveHeldRequest"),
  on: held,
  done: t("Approved."),
})

const reject = form({
  id: "held.reject",
  address: "POST /{owner}/{repo}/held/{id}/reject",
  does: named(newcomerOperations, "repoRejectHeldRequest"),
  on: held,
  done: t("Rejected."),
})

const rejectAndBlock = form({
  id: "held.rejectAndBlock",
  address: "POST /{owner}/{repo}/held/{id}/block",
  does: named(newcomerOperations, "repoRejectHeldRequest"),
  on: held,
  always: { block: true },
  done: t("Rejected, and its author is blocked."),
})

export const heldPages: readonly Page[] = [held, approve, reject, rejectAndBlock]
