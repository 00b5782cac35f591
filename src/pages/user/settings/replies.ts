import { type Me, signedIn } from "../../../access/policies/site.ts"
import type { Handle } from "../../../core/database/database.ts"
import type { Refusal } from "../../../core/errors.ts"
import { html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import type { Page as ListPage } from "../../../core/operation.ts"
import { type Draft, moved, numberIn, type Page, page, type Reader, type Shown, sentText } from "../../../core/page.ts"
import Type from "../../../core/schema.ts"
import { changeReply, dropReply, LONGEST_REPLY, MOST_REPLIES, replyOf, saveReply } from "../../../features/people/replies/rules.ts"
import { countReplies, findReplies } from "../../../features/people/replies/store.ts"
import { empty, pager, rowsOr } from "../../../web/components.ts"
import { type Field, formButton, formView } from "../../../web/form.ts"
import { icon } from "../../../web/icon.ts"
import { plural } from "../../../web/time.ts"
import { personalSettings, SETTINGS_PATH } from "./frame.ts"

/** Replies that a person has saved, to put them into comments. */

export const REPLIES_PATH = `${SETTINGS_PATH}/replies` as const

const fields: readonly Field[] = [
  { kind: "line", name: "name", label: t("Name"), required: true, maxlength: 100, hint: t("Shown in the menu of saved replies.") },
  {
    kind: "text",
    name: "content",
    label: t("Text"),
    rows: 8,
    required: true,
    hint: t("Markdown, at most {LONGEST_REPLY} characters.", { LONGEST_REPLY }),
  },
]

const typed = { name: Type.Optional(Type.String()), content: Type.Optional(Type.String()) } as const

interface Typed {
  readonly query: { readonly name?: string; readonly content?: string }
}

const writtenIn = ({ query: { name = "", content = "" } }: Typed) => ({ name, content })

const draftOf = (form: Page, { query, path }: Typed & Pick<Draft, "path">, refusal: Refusal): Draft => ({
  form: form.id,
  ...(path && { path }),
  refusal,
  typed: { name: [query.name ?? ""], content: [query.content ?? ""] },
})

type Call = Me & { readonly db: Handle; readonly page: ListPage; readonly reader: Reader; readonly draft?: Draft | undefined }

/** The beginning of a text, for the list. */
const beginning = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text)

async function listPage({ db, me, page: { limit, offset, number }, draft }: Call): Promise<Shown> {
  const { total } = (await countReplies.first(db, { userId: me.id })) ?? { total: 0 }
  const rows = await findReplies(db, { userId: me.id, limit, offset })
  return personalSettings({
    part: "replies",
    title: t("Saved replies"),
    body: html`
      <h1>Saved replies</h1>
      <p class="muted">Replies that you can insert when you write a comment. Only you can see them.</p>
      ${rowsOr(
        rows,
        ({ id, name, content }) =>
          html`
            <li>
              ${icon("reply")}
              <div class="main">
                <a class="title" href="${REPLIES_PATH}/${id}" dir="auto">${name}</a>
                <span class="muted small break" dir="auto">${beginning(content)}</span>
              </div>
              ${formButton(remove, { id: String(id) }, html`Delete<span class="hidden-text"> ${name}</span>`)}
            </li>
          `,
        empty("reply", t("No saved replies"), t("Save text that you use often, such as a request for details.")),
      )}
      ${pager(REPLIES_PATH, { number, limit, offset }, total)}
      <h2 id="new">Save a reply</h2>
      ${
        total >= MOST_REPLIES
          ? html`<p>You can have up to ${plural(MOST_REPLIES, "reply", "replies")}: delete one to save another.</p>`
          : formView(add, { draft, fields, submit: t("Add") })
      }
    `,
  })
}

async function editorPage({ db, me, path, draft }: Omit<Call, "page"> & Required<Pick<Draft, "path">>): Promise<Shown> {
  const record = await replyOf(db, me.id, numberIn(path, "id"))
  return personalSettings({
    part: "replies",
    title: t("Edit saved reply"),
    body: html`
      <h1>Edit saved reply</h1>
      ${formView(change, {
        path,
        record,
        draft,
        fields,
        submit: t("Save"),
        beside: html`<a class="button" href="${REPLIES_PATH}">Cancel</a>`,
      })}
    `,
  })
}

const add: Page = page({
  id: "personal.addReply",
  address: `POST ${REPLIES_PATH}`,
  access: signedIn,
  query: typed,
  again: (call, refusal) => listPage({ ...call, draft: draftOf(add, call, refusal) }),
  answer: async (call) => {
    await call.services.database.write((tx) => saveReply(tx, call.me.id, writtenIn(call)))
    return moved(REPLIES_PATH, { flash: t("Saved.") })
  },
})

const change: Page = page({
  id: "personal.changeReply",
  address: `POST ${REPLIES_PATH}/{id}`,
  access: signedIn,
  query: typed,
  again: (call, refusal) => editorPage({ ...call, draft: draftOf(change, call, refusal) }),
  answer: async (call) => {
    await call.services.database.write((tx) => changeReply(tx, call.me.id, numberIn(call.path, "id"), writtenIn(call)))
    return moved(REPLIES_PATH, { flash: t("Saved.") })
  },
})

const remove: Page = page({
  id: "personal.deleteReply",
  address: `POST ${REPLIES_PATH}/{id}/delete`,
  access: signedIn,
  answer: async ({ services, me, path }) => {
    await services.database.write((tx) => dropReply(tx, me.id, numberIn(path, "id")))
    return moved(REPLIES_PATH, { flash: t("Saved reply deleted.") })
  },
})

export const replyPages: readonly Page[] = [
  page({ id: "personal.replies", address: `GET ${REPLIES_PATH}`, access: signedIn, answer: listPage }),
  page({ id: "personal.reply", address: `GET ${REPLIES_PATH}/{id}`, access: signedIn, answer: editorPage }),
  // What the module `composer` puts into a comment.
  page({
    id: "personal.replyText",
    address: `GET ${REPLIES_PATH}/{id}/text`,
    access: signedIn,
    answer: async ({ db, me, path }) => sentText("text/plain;charset=utf-8", (await replyOf(db, me.id, numberIn(path, "id"))).content),
  }),
  add,
  change,
  remove,
]
