import { signedIn } from "../../../access/policies/site.ts"
import { form } from "../../../core/forms/form.ts"
import { type Html, html } from "../../../core/html.ts"
import { type Text, t } from "../../../core/language/message.ts"
import { named } from "../../../core/operation.ts"
import { type Page, page } from "../../../core/page.ts"
import Type from "../../../core/schema.ts"
import { tokenFor } from "../../../features/people/keys/gpg-keys.ts"
import { keyOperations } from "../../../features/people/keys/operations.ts"
import { presentGpgKeys } from "../../../features/people/keys/present.ts"
import type { GPGKey } from "../../../features/people/keys/records.ts"
import { findGpgKeysOf, findPublicKeysOf, type GpgKeyRow, type PublicKeyRow } from "../../../features/people/keys/store.ts"
import { empty, pager } from "../../../web/components.ts"
import { type Field, formButton, formView } from "../../../web/form.ts"
import { icon } from "../../../web/icon.ts"
import { time } from "../../../web/time.ts"
import { confirmedFirst, confirmedSession } from "../../parts/sign-in/confirmed.ts"
import { personalSettings, SETTINGS_PATH } from "./frame.ts"

const SSH = `${SETTINGS_PATH}/keys` as const
const NEW_SSH = `${SSH}/new` as const
const GPG = `${SSH}/gpg` as const
const NEW_GPG = `${GPG}/new` as const
const VERIFY = `${GPG}/verify` as const

// --- SSH -------------------------------------------------------------------------------------------------------------------------

const sshKeys: Page = page({
  id: "personal.sshKeys",
  address: `GET ${SSH}`,
  access: signedIn,
  answer: async ({ services, db, me, page, reader }) => {
    const { rows, total } = await findPublicKeysOf(db, me.id, undefined, page)
    const now = services.now()
    return personalSettings({
      part: "ssh",
      title: t("SSH keys"),
      body: html`
        <div class="bar">
          <h1>SSH keys</h1>
          <a class="button primary end" href="${NEW_SSH}">${icon("plus")} Add a key</a>
        </div>
        <p class="muted">SSH keys let you fetch and push over SSH, and sign commits.</p>
        ${
          rows.length === 0
            ? empty("key", t("No SSH keys yet"), t("Generate a key with ssh-keygen, and add the content of the .pub file."))
            : html`<ul class="rows">${rows.map((row) => sshRow(row, now))}</ul>`
        }
        ${pager(reader.url, page, total)}
      `,
    })
  },
})

const sshRow = (row: PublicKeyRow, now: number): Html =>
  html`
    <li>
      ${icon("key")}
      <div class="main">
        <span class="title">
          <bdi>${row.title}</bdi> ${row.is_read_only === 1 && html`<span class="chip">Read-only</span>`}
        </span>
        <code class="break">${row.fingerprint}</code>
        <span class="muted small">
          Added ${time(row.created_at, now)}, ${row.last_used_at === 0 ? t("never used") : html`last used ${time(row.last_used_at, now)}`}
        </span>
      </div>
      ${formButton(removeSshKey, { id: String(row.id) }, html`Remove<span class="hidden-text"> ${row.title}</span>`)}
    </li>
  `

const newSshKey: Page = page({
  id: "personal.newSshKey",
  address: `GET ${NEW_SSH}`,
  access: signedIn,
  changesWithTime: true,
  answer: async ({ services, reader, draft }) => {
    const session = await confirmedSession(services, reader, NEW_SSH)
    if ("kind" in session) return session
    return personalSettings({
      part: "ssh",
      title: t("Add an SSH key"),
      body: html`
        <h1>Add an SSH key</h1>
        ${formView(addSshKey, {
          draft,
          submit: t("Add"),
          beside: html`<a href="${SSH}">Back</a>`,
          fields: [
            {
              kind: "line",
              name: "title",
              label: t("Title"),
              hint: t("For example, the name of the device."),
              required: true,
              maxlength: 255,
            },
            {
              kind: "text",
              name: "key",
              label: t("Public key"),
              isCode: true,
              rows: 5,
              required: true,
              placeholder: "ssh-ed25519 AAAA…",
              hint: t("The content of the .pub file: ED25519, ECDSA, RSA of at least 3071 bits, or a security token’s."),
            },
            { kind: "box", name: "read_only", label: t("Read-only") },
          ],
        })}
      `,
    })
  },
})

const addSshKey = form({
  id: "personal.addSshKey",
  address: `POST ${NEW_SSH}`,
  does: named(keyOperations, "userCurrentPostKey"),
  on: newSshKey,
  takes: ["title", "key", "read_only"],
  before: confirmedFirst(NEW_SSH),
  done: t("Key added."),
  to: () => SSH,
})

const removeSshKey = form({
  id: "personal.removeSshKey",
  address: `POST ${SSH}/{id}/delete`,
  does: named(keyOperations, "userCurrentDeleteKey"),
  on: sshKeys,
  done: t("Key deleted."),
})

// --- OpenPGP ---------------------------------------------------------------------------------------------------------------------

const gpgKeys: Page = page({
  id: "personal.gpgKeys",
  address: `GET ${GPG}`,
  access: signedIn,
  answer: async ({ services, db, me, page, reader }) => {
    const { rows, total } = await findGpgKeysOf(db, me.id, page)
    const records = new Map((await presentGpgKeys(db, rows)).map((record) => [record.id, record]))
    const now = services.now()
    return personalSettings({
      part: "gpg",
      title: t("GPG keys"),
      body: html`
        <div class="bar">
          <h1>GPG keys</h1>
          <a class="button primary end" href="${NEW_GPG}">${icon("plus")} Add a key</a>
        </div>
        <p class="muted">Commits and tags that are signed with one of these keys are shown as verified.</p>
        ${
          rows.length === 0
            ? empty("verified", t("No GPG keys yet"), t("Export a key with gpg --armor --export, and add the output."))
            : html`<ul class="rows">${rows.map((row) => gpgRow(row, records.get(row.id), now))}</ul>`
        }
        ${pager(reader.url, page, total)}
      `,
    })
  },
})

const gpgRow = (row: GpgKeyRow, record: GPGKey | undefined, now: number): Html =>
  html`
    <li>
      ${icon(row.is_verified === 1 ? "verified" : "unverified")}
      <div class="main">
        <span class="title">
          <code>${row.key_id}</code> <span class="chip">${row.is_verified === 1 ? t("Verified") : t("Unverified")}</span>
        </span>
        ${record && record.emails.length > 0 && html`<span class="break">${record.emails.map(({ email }) => email).join(", ")}</span>`}
        ${
          record &&
          record.subkeys.length > 0 &&
          html`<span class="muted small">Subkeys: ${record.subkeys.map(({ key_id }) => html`<code>${key_id}</code> `)}</span>`
        }
        <span class="muted small">
          Added ${time(row.created_at, now)}, ${
            row.expires_at === 0
              ? t("does not expire")
              : html`${row.expires_at <= now ? t("expired") : t("expires")} ${time(row.expires_at, now)}`
          }
        </span>
      </div>
      <div class="acts">
        ${
          row.is_verified === 0 &&
          html`<a class="button small" href="${VERIFY}?key_id=${row.key_id}">Verify<span class="hidden-text"> ${row.key_id}</span></a>`
        }
        ${formButton(removeGpgKey, { id: String(row.id) }, html`Remove<span class="hidden-text"> ${row.key_id}</span>`)}
      </div>
    </li>
  `

/** How to sign the text that only the owner of the key is asked to sign. */
const howToSign = (token: string, key: Text): Html =>
  html`
    <p>Sign this text within five minutes:</p>
    <div class="prose"><pre tabindex="0"><code>echo ${token} | gpg --armor --detach-sign${key}</code></pre></div>
  `

const signature = {
  kind: "text",
  name: "armored_signature",
  label: t("Signature"),
  isCode: true,
  rows: 6,
  placeholder: "-----BEGIN PGP SIGNATURE-----",
} as const satisfies Field

const newGpgKey: Page = page({
  id: "personal.newGpgKey",
  address: `GET ${NEW_GPG}`,
  access: signedIn,
  changesWithTime: true,
  answer: async ({ services, me, reader, draft }) => {
    const session = await confirmedSession(services, reader, NEW_GPG)
    if ("kind" in session) return session
    return personalSettings({
      part: "gpg",
      title: t("Add a GPG key"),
      body: html`
        <h1>Add a GPG key</h1>
        ${formView(addGpgKey, {
          draft,
          submit: t("Add"),
          beside: html`<a href="${GPG}">Back</a>`,
          fields: [
            {
              kind: "text",
              name: "armored_public_key",
              label: t("Public key"),
              isCode: true,
              rows: 8,
              required: true,
              placeholder: "-----BEGIN PGP PUBLIC KEY BLOCK-----",
              hint: t("The output of gpg --armor --export."),
            },
            {
              kind: "content",
              content: html`
                <p>
                  A key with none of your confirmed e-mail addresses needs a signature, which proves that it is yours.
                </p>
                ${howToSign(tokenFor(services, me), "")}
              `,
            },
            signature,
          ],
        })}
      `,
    })
  },
})

const addGpgKey = form({
  id: "personal.addGpgKey",
  address: `POST ${NEW_GPG}`,
  does: named(keyOperations, "userCurrentPostGPGKey"),
  on: newGpgKey,
  takes: ["armored_public_key", "armored_signature"],
  // A key without an address of the account is refused as not found; the person mends that on this page.
  picks: (path) => path,
  before: confirmedFirst(NEW_GPG),
  done: t("Key added."),
  to: () => GPG,
})

const verify: Page = page({
  id: "personal.verifyGpgKeyPage",
  address: `GET ${VERIFY}`,
  access: signedIn,
  query: { key_id: Type.Optional(Type.String({ maxLength: 40 })) },
  changesWithTime: true,
  answer: ({ services, me, query, draft }) => {
    const key = draft?.typed["key_id"]?.[0] ?? query.key_id ?? ""
    return personalSettings({
      part: "gpg",
      title: t("Verify a GPG key"),
      body: html`
        <h1>Verify a GPG key</h1>
        ${howToSign(tokenFor(services, me), /^[0-9A-F]{16}$/.test(key) ? ` --local-user ${key}` : "")}
        ${formView(verifyGpgKey, {
          draft,
          submit: t("Verify"),
          beside: html`<a href="${GPG}">Back</a>`,
          fields: [
            { kind: "line", name: "key_id", label: t("Key"), value: key, required: true, maxlength: 40 },
            { ...signature, required: true },
          ],
        })}
      `,
    })
  },
})

const verifyGpgKey = form({
  id: "personal.verifyGpgKey",
  address: `POST ${VERIFY}`,
  does: named(keyOperations, "userVerifyGPGKey"),
  on: verify,
  takes: ["key_id", "armored_signature"],
  picks: (path) => path,
  done: t("Key verified."),
  to: () => GPG,
})

const removeGpgKey = form({
  id: "personal.removeGpgKey",
  address: `POST ${GPG}/{id}/delete`,
  does: named(keyOperations, "userCurrentDeleteGPGKey"),
  on: gpgKeys,
  done: t("Key deleted. Commits signed with it are no longer shown as verified."),
})

/** A person's own keys. */
export const keyPages: readonly Page[] = [
  sshKeys,
  newSshKey,
  addSshKey,
  removeSshKey,
  gpgKeys,
  newGpgKey,
  addGpgKey,
  verify,
  verifyGpgKey,
  removeGpgKey,
]
