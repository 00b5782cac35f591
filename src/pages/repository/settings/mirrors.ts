import { onRepositoryAsAdministrator } from "../../../access/policies/repositories.ts"
import { form } from "../../../core/forms/form.ts"
import { type Html, html } from "../../../core/html.ts"
import { t } from "../../../core/language/message.ts"
import { named } from "../../../core/operation.ts"
import { type Draft, type Page, page } from "../../../core/page.ts"
import { lifecycleOperations } from "../../../features/code/lifecycle/operations.ts"
import { mirrorOperations } from "../../../features/code/mirrors/operations.ts"
import { findMirror, listPushMirrors, type Mirror, type PushMirror } from "../../../features/code/mirrors/store.ts"
import { formatDuration } from "../../../features/code/repositories/durations.ts"
import { empty, notice, pager } from "../../../web/components.ts"
import { type Field, formButton, formView } from "../../../web/form.ts"
import { time } from "../../../web/time.ts"
import { settingsPage } from "./frame.ts"

/** What an interval looks like. */
const INTERVAL = t("Such as 8h30m; 0 disables it.")

const mirrors: Page = page({
  id: "settings.mirrors",
  address: "GET /{owner}/{repo}/settings/mirrors",
  access: onRepositoryAsAdministrator,
  answer: async (call) => {
    const { services, db, repository, draft, page: rows, reader, path } = call
    const { mirror: config } = services.config
    const pull = repository.is_mirror === 1 ? await findMirror.first(db, { repositoryId: repository.id }) : undefined
    const { rows: pushes, total } = await listPushMirrors(db, repository.id, rows)
    return settingsPage(call, {
      part: "mirrors",
      title: t("Mirrors"),
      body: html`
        <h1>Mirrors</h1>
        ${!config.enabled && notice("warn", t("Mirrors are disabled on this site. Nothing is synchronized until they are enabled."))}
        ${pull && pullView(pull, path, draft)}
        <h2 id="push">Push mirrors</h2>
        <p class="muted">Branches and tags of the target become those of this repository; others are removed there.</p>
        ${
          total === 0
            ? empty("mirror", t("No push mirrors"), t("Add the URL of an empty repository to have it follow this one."))
            : html`
              <ul class="rows">${pushes.map((mirror) => pushView(mirror, path, draft))}</ul>
              ${pager(reader.url, rows, total)}
              <div class="bar">${formButton(pushNow, path, t("Synchronize all now"), {}, draft)}</div>
            `
        }
        <h2 id="add">Add a push mirror</h2>
        ${formView(add, {
          path,
          draft,
          submit: t("Add push mirror"),
          fields: [
            {
              kind: "line",
              name: "remote_address",
              label: t("Address"),
              hint: t("An http or https URL that git can push to."),
              type: "url",
              required: true,
              maxlength: 2048,
            },
            { kind: "line", name: "remote_username", label: t("Remote user name"), maxlength: 255 },
            { kind: "line", name: "remote_password", label: t("Password or token"), type: "password", maxlength: 1024 },
            { kind: "line", name: "interval", label: t("Interval"), hint: INTERVAL, value: formatDuration(config.defaultInterval) },
            { kind: "box", name: "sync_on_commit", label: t("Synchronize after every push") },
          ],
        })}
      `,
    })
  },
})

/** How the repository follows another, and what can be changed about it. */
function pullView(mirror: Mirror, path: Readonly<Record<string, string>>, draft: Draft | undefined): Html {
  const fields: readonly Field[] = [
    { kind: "line", name: "mirror_interval", label: t("Interval"), hint: INTERVAL, maxlength: 50 },
    {
      kind: "box",
      name: "enable_prune",
      label: t("Prune"),
      hint: t("Delete branches and tags that were deleted on the remote."),
    },
    { kind: "line", name: "mirror_username", label: t("Remote user name"), maxlength: 255 },
    {
      kind: "line",
      name: "mirror_password",
      label: t("Password or token"),
      hint: mirror.sealed_secret === "" ? t("Not set.") : t("Set. Leave empty to keep it; enter it again if the user name changes."),
      type: "password",
      maxlength: 1024,
    },
  ]
  const record = {
    mirror_interval: formatDuration(mirror.interval),
    enable_prune: mirror.enable_prune === 1,
    mirror_username: mirror.remote_username,
  }
  return html`
    <p>
      It follows <code class="break">${mirror.remote_url}</code>.${" "}
      ${mirror.last_sync_at === 0 ? t("It is not synchronized yet.") : html`It was updated ${time(mirror.last_sync_at)}.`}
      ${mirror.next_sync_at > 0 && html` Next synchronization: ${time(mirror.next_sync_at)}.`}
    </p>
    ${mirror.last_error !== "" && notice("bad", html`Last synchronization failed: <span dir="auto">${mirror.last_error}</span>`)}
    <div class="bar">${formButton(syncNow, path, t("Synchronize now"), {}, draft)}</div>
    ${formView(follow, { path, record, draft, submit: t("Save"), fields })}
  `
}

const pushView = (mirror: PushMirror, path: Readonly<Record<string, string>>, draft: Draft | undefined): Html =>
  html`
    <li>
      <span class="main">
        <code class="break">${mirror.remote_url}</code>
        <span class="muted small">
          ${mirror.interval === 0 ? t("Synchronized on request") : t("Every {interval}", { interval: formatDuration(mirror.interval) })}
          ${mirror.sync_on_commit === 1 && t(", and after every push")};${" "}
          ${mirror.last_sync_at === 0 ? t("never synchronized") : html`last ${time(mirror.last_sync_at)}`}
        </span>
        ${mirror.last_error !== "" && html`<span class="fault">It failed: <span dir="auto">${mirror.last_error}</span></span>`}
      </span>
      ${formButton(
        remove,
        { ...path, name: mirror.remote_name },
        html`Remove<span class="hidden-text"> ${mirror.remote_url}</span>`,
        {},
        draft,
      )}
    </li>
  `

const follow = form({
  id: "settings.mirror",
  address: "POST /{owner}/{repo}/settings/mirrors",
  does: named(lifecycleOperations, "repoEdit"),
  on: mirrors,
  takes: ["mirror_interval", "enable_prune", "mirror_username", "mirror_password"],
  // The secret is never shown, so an empty field is not a wish for none.
  body: ({ mirror_password: secret, ...others }) => (secret === "" ? others : { ...others, mirror_password: secret }),
  done: t("Saved."),
})

const syncNow = form({
  id: "settings.syncMirror",
  address: "POST /{owner}/{repo}/settings/mirrors/sync",
  does: named(mirrorOperations, "repoMirrorSync"),
  on: mirrors,
  done: t("Synchronizing."),
})

const add = form({
  id: "settings.addPushMirror",
  address: "POST /{owner}/{repo}/settings/mirrors/push",
  does: named(mirrorOperations, "repoAddPushMirror"),
  on: mirrors,
  takes: ["remote_address", "remote_username", "remote_password", "interval", "sync_on_commit"],
  done: t("Push mirror added. Nothing has been pushed yet."),
  once: true,
})

const pushNow = form({
  id: "settings.syncPushMirrors",
  address: "POST /{owner}/{repo}/settings/mirrors/push/sync",
  does: named(mirrorOperations, "repoPushMirrorSync"),
  on: mirrors,
  done: t("All push mirrors are up to date."),
})

const remove = form({
  id: "settings.removePushMirror",
  address: "POST /{owner}/{repo}/settings/mirrors/push/remove/{name}",
  does: named(mirrorOperations, "repoDeletePushMirror"),
  on: mirrors,
  done: t("Push mirror removed."),
})

export const mirrorPages: readonly Page[] = [mirrors, follow, syncNow, add, pushNow, remove]
