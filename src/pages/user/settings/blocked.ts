import { signedIn } from "../../../access/policies/site.ts"
import { form } from "../../../core/forms/form.ts"
import { html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import { named } from "../../../core/operation.ts"
import { type Page, page } from "../../../core/page.ts"
import { blockOperations } from "../../../features/people/blocks/operations.ts"
import { countBlocked, findBlocked } from "../../../features/people/blocks/store.ts"
import { empty, pager, personWithAvatar, rowsOr } from "../../../web/components.ts"
import { formButton, formView } from "../../../web/form.ts"
import { personalSettings, SETTINGS_PATH } from "./frame.ts"

const BLOCKED = `${SETTINGS_PATH}/blocked_users` as const

const blocked: Page = page({
  id: "personal.blocked",
  address: `GET ${BLOCKED}`,
  access: signedIn,
  answer: async ({ db, me, page, reader, draft }) => {
    const total = (await countBlocked.first(db, { blockerId: me.id }))?.total ?? 0
    const rows = await findBlocked(db, { blockerId: me.id, limit: page.limit, offset: page.offset })
    return personalSettings({
      part: "blocked",
      title: t("Blocked users"),
      body: html`
        <h1>Blocked users</h1>
        <p class="muted">
          Blocked users can’t follow you, star your repositories, or open issues, pull requests and comments in them.
        </p>
        ${rowsOr(
          rows,
          (row) =>
            html`
              <li>
                <div class="main">
                  <span class="title">${personWithAvatar(row)}</span>
                  ${row.note !== "" && html`<span class="muted break" dir="auto">${row.note}</span>`}
                </div>
                ${formButton(unblock, { username: row.name }, html`Unblock<span class="hidden-text"> ${row.name}</span>`)}
              </li>
            `,
          empty("circle-slash", t("You haven’t blocked anyone")),
        )}
        ${pager(reader.url, page, total)}
        <h2 id="block">Block a user</h2>
        ${formView(block, {
          draft,
          submit: t("Block"),
          look: "danger",
          fields: [
            {
              kind: "line",
              name: "username",
              label: t("User name"),
              required: true,
              maxlength: 40,
              hint: t("You will stop following each other, and collaborating on each other’s repositories."),
            },
            { kind: "line", name: "note", label: t("Reason"), maxlength: 255, hint: t("Only visible to you.") },
          ],
        })}
      `,
    })
  },
})

const block = form({
  id: "personal.block",
  address: `POST ${BLOCKED}`,
  does: named(blockOperations, "userBlockUser"),
  on: blocked,
  also: ["username", "note"],
  picks: (_path, field) => ({ username: field("username").trim() }),
  // Without a note, that of before stays.
  query: ({ note: [note = ""] = [] }) => (note === "" ? {} : { note }),
  done: t("User blocked."),
})

const unblock = form({
  id: "personal.unblock",
  address: `POST ${BLOCKED}/{username}/delete`,
  does: named(blockOperations, "userUnblockUser"),
  on: blocked,
  done: t("User unblocked."),
})

/** Whom a person has blocked. */
export const blockPages: readonly Page[] = [blocked, block, unblock]
