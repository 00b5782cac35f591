import { Mode } from "../../../access/modes.ts"
import { type OnRepository, onRepositoryAsAdministrator, onRepositoryAsOwner } from "../../../access/policies/repositories.ts"
import type { User } from "../../../core/actor.ts"
import { memberOf } from "../../../core/check.ts"
import { form } from "../../../core/forms/form.ts"
import { type Html, html } from "../../../core/html.ts"
import { type Text, t } from "../../../core/language/message.ts"
import { named, type Request } from "../../../core/operation.ts"
import { type Draft, moved, type Page, page } from "../../../core/page.ts"
import { lifecycleOperations } from "../../../features/code/lifecycle/operations.ts"
import { findRecipient, withdrawTransfer } from "../../../features/code/lifecycle/transfer.ts"
import { repositoryOperations } from "../../../features/code/repositories/operations.ts"
import { topicOperations } from "../../../features/code/topics/operations.ts"
import { path, repositoryPath } from "../../../web/address.ts"
import { notice } from "../../../web/components.ts"
import { formButton, formView, unfold } from "../../../web/form.ts"
import { beforeDeletion, isKept, unlessKept } from "../../parts/deleted.ts"
import { ABOUT, namesOf, PULLS, UNITS } from "./fields.ts"
import { settingsPage } from "./frame.ts"
import { settingsOf } from "./values.ts"

const edit = named(lifecycleOperations, "repoEdit")
const fullName = ({ owner, repo }: Readonly<Record<string, string>>): string => `${owner}/${repo}`

const general: Page = page({
  id: "settings.general",
  address: "GET /{owner}/{repo}/settings",
  access: onRepositoryAsAdministrator,
  answer: async (call) => {
    const { db, repository, draft } = call
    const shown = { path: call.path, record: settingsOf(repository), draft, submit: t("Save") } as const
    const recipient = await findRecipient(db, repository.id)
    return settingsPage(call, {
      part: "general",
      title: t("Settings"),
      body: html`
        <h1>General</h1>
        ${formView(changeAbout, { ...shown, fields: ABOUT })}
        <h2 id="topics">Topics</h2>
        ${formView(changeTopics, {
          ...shown,
          fields: [{ kind: "line", name: "topics", label: t("Topics"), hint: t("Separated by spaces.") }],
        })}
        <h2 id="picture">Picture</h2>
        ${pictureForms(call, draft)}
        <h2 id="units">Features</h2>
        <p class="muted">Disabling a feature hides it and keeps its data.</p>
        ${formView(changeUnits, { ...shown, fields: UNITS })}
        <h2 id="pulls">Pull requests</h2>
        ${formView(changePulls, { ...shown, fields: PULLS })}
        <h2 id="danger">Danger zone</h2>
        ${dangerZone(call, recipient)}
      `,
    })
  },
})

const changeAbout = form({
  id: "settings.about",
  address: "POST /{owner}/{repo}/settings",
  does: edit,
  on: general,
  reads: named(repositoryOperations, "repoGet"),
  guards: ["description", "website"],
  takes: namesOf(ABOUT),
  done: t("Saved."),
})

const changeTopics = form({
  id: "settings.topics",
  address: "POST /{owner}/{repo}/settings/topics",
  does: named(topicOperations, "repoUpdateTopics"),
  on: general,
  also: ["topics"],
  body: (_, { topics = [] }) => ({ topics: topics.flatMap((text) => text.split(/[\s,]+/)) }),
  done: t("Saved."),
})

const changeUnits = form({
  id: "settings.units",
  address: "POST /{owner}/{repo}/settings/units",
  does: edit,
  on: general,
  takes: namesOf(UNITS).filter((name) => name !== "tracker"),
  also: ["tracker"],
  // The operation uses the tracker that it is told something of.
  body: ({ internal_tracker, external_tracker, ...others }, { tracker }) =>
    tracker?.[0] === "external" ? { ...others, external_tracker } : { ...others, internal_tracker },
  done: t("Saved."),
})

const changePulls = form({
  id: "settings.pulls",
  address: "POST /{owner}/{repo}/settings/pulls",
  does: edit,
  on: general,
  takes: namesOf(PULLS),
  done: t("Saved."),
})

// --- the picture ------------------------------------------------------------------------------------------------------------------

const changePicture = form({
  id: "settings.picture",
  address: "POST /{owner}/{repo}/settings/picture",
  does: named(lifecycleOperations, "repoUpdateAvatar"),
  on: general,
  picture: "image",
  done: t("Avatar updated."),
})

const removePicture = form({
  id: "settings.removePicture",
  address: "POST /{owner}/{repo}/settings/picture/remove",
  does: named(lifecycleOperations, "repoDeleteAvatar"),
  on: general,
  done: t("Avatar removed."),
})

function pictureForms({ repository, path: names }: OnRepository & { readonly path: Names }, draft: Draft | undefined): Html {
  return html`
    ${
      repository.avatar !== "" &&
      html`
        <div class="bar">
          <img
            class="avatar"
            src="/avatars/${repository.avatar}"
            width="64"
            height="64"
            alt="Avatar of this repository"
          >
          ${formButton(removePicture, names, t("Remove"))}
        </div>
      `
    }
    ${formView(changePicture, {
      path: names,
      draft,
      submit: t("Upload"),
      look: "plain",
      fields: [{ kind: "file", name: "image", label: t("New avatar"), hint: t("PNG, JPEG, GIF or WebP."), accept: "image/*" }],
    })}
  `
}

// --- what is not easily undone ----------------------------------------------------------------------------------------------------

type Names = Readonly<Record<string, string>>

const rename = form({
  id: "settings.rename",
  address: "POST /{owner}/{repo}/settings/rename",
  does: edit,
  on: general,
  takes: ["name"],
  confirms: fullName,
  done: t("Renamed."),
  to: ({ path: { owner }, field }) => path(owner, field("name"), "settings"),
})

const changeVisibility = form({
  id: "settings.visibility",
  address: "POST /{owner}/{repo}/settings/visibility",
  does: edit,
  on: general,
  takes: ["private"],
  confirms: fullName,
  done: t("Saved."),
})

const transfer = form({
  id: "settings.transfer",
  address: "POST /{owner}/{repo}/settings/transfer",
  does: named(lifecycleOperations, "repoTransfer"),
  on: general,
  takes: ["new_owner"],
  missing: ["new_owner", t("no such user or organization")],
  confirms: fullName,
  done: t("Repository transferred, or waiting for the new owner to accept."),
  to: ({ record }) => `/${String(memberOf(record, "full_name"))}${memberOf(record, "repo_transfer") ? "/settings" : ""}`,
})

const withdraw = page({
  id: "settings.withdrawTransfer",
  address: "POST /{owner}/{repo}/settings/transfer/withdraw",
  access: onRepositoryAsOwner,
  answer: async (call) => {
    const { services, me, repository } = call
    await services.database.write((tx) => withdrawTransfer(tx, me, repository.id))
    return moved(`${repositoryPath(call)}/settings`, { flash: t("Transfer cancelled.") })
  },
})

const archive = form({
  id: "settings.archive",
  address: "POST /{owner}/{repo}/settings/archive",
  does: edit,
  on: general,
  always: { archived: true },
  confirms: fullName,
  done: t("Archived."),
})

const unarchive = form({
  id: "settings.unarchive",
  address: "POST /{owner}/{repo}/settings/unarchive",
  does: edit,
  on: general,
  always: { archived: false },
  done: t("Unarchived."),
})

const remove = form({
  id: "settings.delete",
  address: "POST /{owner}/{repo}/settings/delete",
  does: named(lifecycleOperations, "repoDelete"),
  on: general,
  confirms: fullName,
  done: unlessKept(t("Repository deleted.")),
  undo: {
    by: { id: "personal.undoDelete" },
    path: () => ({}),
    fields: ({ headers, path: { owner = "" } }) => (isKept(headers) ? { owner } : undefined),
  },
  to: ({ path: { owner } }) => path(owner),
})

type Danger = OnRepository & Pick<Request, "services"> & { readonly path: Names; readonly draft: Draft | undefined }

/** What is done seldom and with care: a sentence about it, and its form. */
const danger = ({ path, draft }: Danger, to: Page, title: Text, about: Text, more: Partial<Parameters<typeof formView>[1]> = {}): Html =>
  unfold(
    to,
    draft,
    title,
    html`
      <p>${about}</p>
      ${formView(to, { path, draft, look: "danger", confirm: fullName(path), submit: title, ...more })}
    `,
  )

function dangerZone(call: Danger, recipient: User | undefined): Html {
  const { repository, permission } = call
  const isOwner = permission.mode >= Mode.owner
  return html`
    <div class="unfolds">
      ${danger(
        call,
        rename,
        t("Rename this repository"),
        t("Links and clones with the old name keep working until another repository takes the name."),
        {
          record: { name: repository.name },
          submit: t("Rename"),
          fields: [{ kind: "line", name: "name", label: t("New name"), required: true, maxlength: 100 }],
        },
      )}
      ${visibilityPart(call)}${isOwner && transferPart(call, recipient)}${repository.is_mirror === 0 && archivePart(call)}
      ${
        isOwner
          ? danger(call, remove, t("Delete repository"), t("Everything in it is deleted."), {
              fields: [{ kind: "content", content: beforeDeletion(call, repository) }],
            })
          : html`<p class="muted">Only owners can transfer or delete it.</p>`
      }
      <p><a href="${repositoryPath(call)}/deleted">Deleted in this repository</a></p>
    </div>
  `
}

function visibilityPart(call: Danger): Html {
  const isPrivate = call.repository.is_private === 1
  return danger(
    call,
    changeVisibility,
    isPrivate ? t("Make public") : t("Make private"),
    isPrivate
      ? t("Anyone who can see its owner will be able to see the code and its history.")
      : t("Only its collaborators will be able to see it. It loses its stars, and its forks become private too."),
    { fields: [{ kind: "hidden", name: "private", value: String(!isPrivate) }] },
  )
}

const transferPart = (call: Danger, recipient: User | undefined): Html =>
  recipient
    ? unfold(
        transfer,
        call.draft,
        t("Transfer ownership"),
        html`
          ${notice("info", html`Waiting for <bdi>${recipient.name}</bdi> to accept the transfer.`)}
          ${formButton(withdraw, call.path, t("Cancel transfer"))}
        `,
      )
    : danger(
        call,
        transfer,
        t("Transfer ownership"),
        t("The new owner has to accept, unless you can decide for them. Links with the old name redirect to the new one."),
        {
          submit: t("Transfer|action"),
          fields: [
            {
              kind: "line",
              name: "new_owner",
              label: t("New owner"),
              hint: t("A user or an organization."),
              required: true,
              maxlength: 255,
            },
          ],
        },
      )

const archivePart = (call: Danger): Html =>
  call.repository.is_archived === 0
    ? danger(call, archive, t("Archive this repository"), t("An archived repository is read-only."))
    : unfold(
        unarchive,
        call.draft,
        t("Unarchive this repository"),
        html`
          <p>Unarchived.</p>
          ${formView(unarchive, { path: call.path, draft: call.draft, submit: t("Unarchive this repository") })}
        `,
      )

export const generalPages: readonly Page[] = [
  general,
  changeAbout,
  changeTopics,
  changeUnits,
  changePulls,
  changePicture,
  removePicture,
  rename,
  changeVisibility,
  transfer,
  withdraw,
  archive,
  unarchive,
  remove,
]
