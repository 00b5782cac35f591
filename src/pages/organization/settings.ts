import { onOrganizationAsOwner } from "../../access/policies/organizations.ts"
import { signedIn } from "../../access/policies/site.ts"
import type { User } from "../../core/actor.ts"
import { memberOf } from "../../core/check.ts"
import { form } from "../../core/forms/form.ts"
import { html } from "../../core/html.ts"
import { t } from "../../core/language/message.ts"
import { named } from "../../core/operation.ts"
import { type Page, page } from "../../core/page.ts"
import { countBlocked, findBlocked } from "../../features/people/blocks/store.ts"
import { organizationBlockOperations } from "../../features/people/organizations/block-operations.ts"
import { organizationOperations } from "../../features/people/organizations/operations.ts"
import { presentOrganization } from "../../features/people/organizations/present.ts"
import { path } from "../../web/address.ts"
import { avatar, empty, notice, pager } from "../../web/components.ts"
import { type Field, formButton, formView } from "../../web/form.ts"
import { icon } from "../../web/icon.ts"
import { time } from "../../web/time.ts"
import { accountRows } from "../parts/account/list-view.ts"
import { whoMayForm } from "../parts/explain.ts"
import { organizationSettings } from "./settings-frame.ts"

const visibility: Field = {
  kind: "choice",
  name: "visibility",
  label: t("Visibility"),
  value: "public",
  options: [
    ["public", t("Everyone")],
    ["limited", t("People who have signed in")],
    ["private", t("Its members"), t("Only members can see that it exists.")],
  ],
}

const description: Field = { kind: "line", name: "description", label: t("Description"), maxlength: 255 }

// --- making one ------------------------------------------------------------------------------------------------------------------

const create: Page = page({
  id: "organization.new",
  address: "GET /org/create",
  access: signedIn,
  answer: ({ me, draft }) => ({
    kind: "shown",
    title: t("New organization"),
    width: "narrow",
    unlisted: true,
    body: html`
      <h1>New organization</h1>
      <p class="muted">
        Organizations own repositories together; teams control who has access to which. You will be its first owner.
      </p>
      ${
        me.allow_create_organization === 0 && me.is_admin === 0
          ? notice("info", t("You can’t create organizations on this site. Ask an administrator."))
          : formView(make, {
              draft,
              submit: t("Create organization"),
              fields: [
                {
                  kind: "line",
                  name: "username",
                  label: t("Name"),
                  required: true,
                  autofocus: true,
                  maxlength: 40,
                  hint: t("Part of the URLs of its repositories."),
                },
                { kind: "line", name: "full_name", label: t("Full name"), maxlength: 100 },
                description,
                visibility,
              ],
            })
      }
    `,
  }),
})

const make = form({
  id: "organization.make",
  address: "POST /org/create",
  does: named(organizationOperations, "orgCreate"),
  on: create,
  takes: ["username", "full_name", "description", "visibility"],
  to: ({ record }) => path(String(memberOf(record, "name"))),
  once: true,
})

// --- settings --------------------------------------------------------------------------------------------------------------------

const about: readonly Field[] = [
  { kind: "line", name: "full_name", label: t("Full name"), maxlength: 100 },
  description,
  { kind: "line", name: "website", label: t("Website"), type: "url", maxlength: 255 },
  { kind: "line", name: "location", label: t("Location"), maxlength: 50 },
  { kind: "line", name: "email", label: t("E-mail address"), type: "email", hint: t("Visible to signed-in users."), maxlength: 254 },
  visibility,
  {
    kind: "box",
    name: "repo_admin_change_team_access",
    label: t("Repository administrators can add teams"),
    hint: t("Otherwise only owners can."),
  },
]

const pictureField: Field = {
  kind: "file",
  name: "image",
  label: t("New avatar"),
  hint: t("PNG, JPEG, GIF or WebP, at most 1 MiB."),
  accept: "image/png,image/jpeg,image/gif,image/webp",
}

const whatIsDeleted: Field = {
  kind: "content",
  content: html`
    <p>
      Its teams and labels are deleted. This cannot be undone. An organization that owns repositories or packages can’t be deleted.
    </p>
  `,
}

const general: Page = page({
  id: "organization.settings",
  address: "GET /org/{org}/settings",
  access: onOrganizationAsOwner,
  answer: (call) => {
    const { services, actor, organization, draft } = call
    const record = presentOrganization(services.site, organization, actor)
    const shown = { path: { org: organization.name }, draft } as const
    return organizationSettings(organization, {
      part: "general",
      title: t("Settings"),
      body: html`
        <h1>General</h1>
        ${formView(edit, { ...shown, record, submit: t("Save"), fields: about })}
        <h2 id="picture">Picture</h2>
        <div class="bar">
          ${avatar(organization, 72)}
          ${organization.avatar !== "" && formButton(removePicture, call.path, html`${icon("trash")}Remove it`)}
        </div>
        ${formView(setPicture, {
          ...shown,
          look: "plain",
          submit: t("Upload"),
          fields: [pictureField],
        })}
        <h2 id="two-factor">Two-factor authentication</h2>
        ${formView(requireFactor, {
          ...shown,
          record,
          submit: t("Save"),
          fields: factorFields(organization, services.now()),
        })}
        ${whoMayForm({ organization })}
        <h2 id="danger">Danger zone</h2>
        ${formView(rename, {
          ...shown,
          look: "danger",
          confirm: organization.name,
          submit: t("Rename organization"),
          fields: [
            {
              kind: "line",
              name: "new_name",
              label: t("New name"),
              value: organization.name,
              required: true,
              maxlength: 40,
              hint: t("URLs with the old name redirect until another account takes the name."),
            },
          ],
        })}
        ${formView(remove, {
          ...shown,
          look: "danger",
          confirm: organization.name,
          submit: t("Delete organization"),
          fields: [whatIsDeleted],
        })}
      `,
    })
  },
})

const edit = form({
  id: "organization.edit",
  address: "POST /org/{org}/settings",
  does: named(organizationOperations, "orgEdit"),
  on: general,
  reads: named(organizationOperations, "orgGet"),
  guards: ["full_name", "description", "website", "location"],
  takes: ["full_name", "description", "website", "location", "email", "visibility", "repo_admin_change_team_access"],
  done: t("Saved."),
})

/** Whether members need a second factor. The days begin anew whenever they are saved. */
const factorFields = ({ name, second_factor_due_at: due, requires_second_factor: isEnforced }: User, now: number): readonly Field[] => [
  {
    kind: "box",
    name: "two_factor_required",
    label: t("Members need a second factor"),
    hint: html`
      Without an authenticator app or a passkey, members and collaborators reach nothing of this organization after the
      grace period, until they set one up. <a class="in-text" href="${path("org", name, "members")}?factor=missing">Who has none</a>
    `,
  },
  {
    kind: "line",
    name: "two_factor_grace_days",
    label: t("Grace period in days"),
    type: "number",
    value: due === 0 ? "7" : String(Math.max(0, Math.ceil((due - now) / 86_400))),
    hint: isEnforced === 1 ? t("It is over: it is required now.") : due > 0 ? html`It ends ${time(due, now)}.` : undefined,
  },
]

const requireFactor = form({
  id: "organization.requireSecondFactor",
  address: "POST /org/{org}/settings/two_factor",
  does: named(organizationOperations, "orgEdit"),
  on: general,
  takes: ["two_factor_required", "two_factor_grace_days"],
  done: t("Saved."),
})

const setPicture = form({
  id: "organization.setPicture",
  address: "POST /org/{org}/settings/avatar",
  does: named(organizationOperations, "orgUpdateAvatar"),
  on: general,
  picture: "image",
  bytes: 2 * 1024 * 1024,
  done: t("Avatar updated."),
})

const removePicture = form({
  id: "organization.removePicture",
  address: "POST /org/{org}/settings/avatar/delete",
  does: named(organizationOperations, "orgDeleteAvatar"),
  on: general,
  done: t("Avatar removed; the generated one is shown."),
})

const rename = form({
  id: "organization.rename",
  address: "POST /org/{org}/settings/rename",
  does: named(organizationOperations, "renameOrg"),
  on: general,
  takes: ["new_name"],
  confirms: ({ org = "" }) => org,
  done: t("Renamed."),
  to: ({ field }) => path("org", field("new_name"), "settings"),
})

const remove = form({
  id: "organization.delete",
  address: "POST /org/{org}/settings/delete",
  does: named(organizationOperations, "orgDelete"),
  on: general,
  confirms: ({ org = "" }) => org,
  done: t("Organization deleted."),
  to: () => "/",
})

// --- blocked people --------------------------------------------------------------------------------------------------------------

const blocked: Page = page({
  id: "organization.blocked",
  address: "GET /org/{org}/settings/blocked_users",
  access: onOrganizationAsOwner,
  answer: async (call) => {
    const { db, organization, page: rows, reader, draft } = call
    const total = (await countBlocked.first(db, { blockerId: organization.id }))?.total ?? 0
    const people = await findBlocked(db, { blockerId: organization.id, limit: rows.limit, offset: rows.offset })
    return organizationSettings(organization, {
      part: "blocked",
      title: t("Blocked users"),
      body: html`
        <h1>Blocked users</h1>
        <p class="muted">
          Blocked users can’t open issues, pull requests and comments in the organization’s repositories, or be
          collaborators. Members can’t be blocked.
        </p>
        ${
          people.length > 0
            ? accountRows(people, ({ name }) =>
                formButton(unblock, { ...call.path, username: name }, html`Unblock<span class="hidden-text"> ${name}</span>`),
              )
            : empty("no-entry", t("No blocked users"))
        }
        ${pager(reader.url, rows, total)}
        <h2>Block a user</h2>
        ${formView(block, {
          path: call.path,
          draft,
          submit: t("Block"),
          look: "danger",
          fields: [
            { kind: "line", name: "username", label: t("Name"), required: true, maxlength: 40 },
            { kind: "line", name: "note", label: t("Reason"), hint: t("Only visible to owners."), maxlength: 255 },
          ],
        })}
      `,
    })
  },
})

const block = form({
  id: "organization.block",
  address: "POST /org/{org}/settings/blocked_users",
  does: named(organizationBlockOperations, "organizationBlockUser"),
  on: blocked,
  also: ["username", "note"],
  picks: ({ org = "" }, field) => ({ org, username: field("username").trim() }),
  missing: ["username", t("no such user")],
  query: ({ note = [] }) => ({ note: note[0] ?? "" }),
  done: t("Blocked."),
})

const unblock = form({
  id: "organization.unblock",
  address: "POST /org/{org}/settings/blocked_users/{username}/unblock",
  does: named(organizationBlockOperations, "organizationUnblockUser"),
  on: blocked,
  done: t("Unblocked."),
})

export const ownOrganizationPages: readonly Page[] = [
  create,
  make,
  general,
  edit,
  setPicture,
  removePicture,
  rename,
  remove,
  blocked,
  block,
  unblock,
]
