import { signedIn } from "../../access/policies/site.ts"
import { form } from "../../core/forms/form.ts"
import { html } from "../../core/html.ts"
import { t } from "../../core/language/message.ts"
import { named } from "../../core/operation.ts"
import { type Page, page } from "../../core/page.ts"
import { secondsOf } from "../../core/record.ts"
import { newcomerOperations } from "../../features/review/newcomers/operations.ts"
import { empty, pager, state } from "../../web/components.ts"
import { formButton } from "../../web/form.ts"
import { time } from "../../web/time.ts"
import { HELD_PATH, heldText } from "../parts/held.ts"

/** What the reader has asked for as a newcomer. */
const mine: Page = page({
  id: "user.held",
  address: `GET ${HELD_PATH}`,
  access: signedIn,
  answer: async ({ services, db, actor, me, draft, page: rows, reader }) => {
    const [{ findHeldOf }, { presentHeld }] = await Promise.all([
      import("../../features/planning/newcomers/store.ts"),
      import("../../features/planning/newcomers/present.ts"),
    ])
    const found = await findHeldOf(db, actor, me.id, rows)
    const all = await presentHeld(db, services.site, actor, found.rows)
    return {
      kind: "shown",
      title: t("Waiting for approval"),
      unlisted: true,
      body: html`
        <h1>Waiting for approval</h1>
        <p class="muted">Your first issues and pull requests in some repositories are opened when somebody there approves them.</p>
        ${
          all.length === 0
            ? empty("hourglass", t("Nothing waits"))
            : html`
              <ul class="rows">
                ${all.map(
                  (each) => html`
                    <li>
                      <div class="main">
                        ${heldText(each)}
                        <p class="meta">
                          ${
                            each.state === "approved"
                              ? state("success", "check", t("Approved"))
                              : each.state === "rejected"
                                ? state("neutral", "x", t("Rejected"))
                                : state("neutral", "hourglass", t("Waiting|approval"))
                          }
                          <a href="/${each.repository}${each.number > 0 && `/issues/${each.number}`}"><bdi>${each.repository}</bdi></a>
                          ${time(secondsOf(each.created_at) ?? 0)}
                        </p>
                        ${each.state === "waiting" && formButton(withdraw, { id: String(each.id) }, t("Take back"), {}, draft)}
                      </div>
                    </li>
                  `,
                )}
              </ul>
              ${pager(reader.url, rows, found.total)}
            `
        }
      `,
    }
  },
})

const withdraw = form({
  id: "held.withdraw",
  address: `POST ${HELD_PATH}/{id}/withdraw`,
  does: named(newcomerOperations, "userWithdrawHeldRequest"),
  on: mine,
  done: t("Taken back."),
})

export const ownHeldPages: readonly Page[] = [mine, withdraw]
