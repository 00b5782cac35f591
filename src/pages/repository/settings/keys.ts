import { onRepositoryAsAdministrator } from "../../../access/policies/repositories.ts"
import { form } from "../../../core/forms/form.ts"
import { type Html, html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import { named } from "../../../core/operation.ts"
import { type Draft, type Page, page } from "../../../core/page.ts"
import { deployKeyOperations } from "../../../features/code/deploy-keys/operations.ts"
import { type DeployKeyRow, findDeployKeysOf } from "../../../features/people/keys/store.ts"
import { empty, pager } from "../../../web/components.ts"
import { formButton, formView } from "../../../web/form.ts"
import { icon } from "../../../web/icon.ts"
import { time } from "../../../web/time.ts"
import { settingsPage } from "./frame.ts"

const keys: Page = page({
  id: "settings.keys",
  address: "GET /{owner}/{repo}/settings/keys",
  access: onRepositoryAsAdministrator,
  answer: async (call) => {
    const { db, repository, page: rows, reader, draft } = call
    const { rows: found, total } = await findDeployKeysOf(db, repository.id, { keyId: undefined, fingerprint: undefined }, rows)
    return settingsPage(call, {
      part: "keys",
      title: t("Deploy keys"),
      body: html`
        <h1>Deploy keys</h1>
        <p class="muted">Deploy keys give access to this repository over SSH, without an account.</p>
        ${
          total === 0
            ? empty("key", t("No deploy keys yet"), t("Add the public key of a server that needs access to this repository."))
            : html`
              <ul class="rows">${found.map((key) => keyRow(key, call.path, draft))}</ul>
              ${pager(reader.url, rows, total)}
            `
        }
        <h2 id="add">Add a key</h2>
        ${formView(add, {
          path: call.path,
          draft,
          submit: t("Add key"),
          fields: [
            {
              kind: "line",
              name: "title",
              label: t("Title"),
              hint: t("For example, the name of the server."),
              required: true,
              maxlength: 255,
            },
            {
              kind: "text",
              name: "key",
              label: t("Public key"),
              hint: t("The content of a file such as id_ed25519.pub."),
              placeholder: "ssh-ed25519 …",
              isCode: true,
              required: true,
            },
            { kind: "box", name: "pushes", label: t("Allow write access") },
          ],
        })}
      `,
    })
  },
})

const keyRow = (
  { id, title, fingerprint, is_read_only, created_at }: DeployKeyRow,
  path: Readonly<Record<string, string>>,
  draft: Draft | undefined,
): Html =>
  html`
    <li>
      ${icon("key")}
      <span class="main">
        <span class="title" dir="auto">${title}</span>
        <code class="break">${fingerprint}</code>
        <span class="muted small">
          ${is_read_only === 1 ? t("Fetches") : t("Read and write")}, added ${time(created_at)}
        </span>
      </span>
      ${formButton(remove, { ...path, id: String(id) }, html`Remove<span class="hidden-text"> ${title}</span>`, {}, draft)}
    </li>
  `

const add = form({
  id: "settings.addKey",
  address: "POST /{owner}/{repo}/settings/keys",
  does: named(deployKeyOperations, "repoCreateKey"),
  on: keys,
  takes: ["title", "key"],
  also: ["pushes"],
  body: (body, { pushes }) => ({ ...body, read_only: pushes === undefined }),
  done: t("Key added."),
})

const remove = form({
  id: "settings.removeKey",
  address: "POST /{owner}/{repo}/settings/keys/{id}/remove",
  does: named(deployKeyOperations, "repoDeleteKey"),
  on: keys,
  done: t("Key removed."),
})

export const deployKeyPages: readonly Page[] = [keys, add, remove]
