import { roleIn } from "../../access/policies/organization-role.ts"
import { type OnUser, onVisibleUser } from "../../access/policies/people.ts"
import type { User } from "../../core/actor.ts"
import { avatarPath } from "../../core/avatar.ts"
import { form } from "../../core/forms/form.ts"
import { flagged, type Html, html } from "../../core/html.ts"
import { t } from "../../core/language/message.ts"
import { named, type Request } from "../../core/operation.ts"
import { type Draft, moved, type Page, page } from "../../core/page.ts"
import { blockOperations } from "../../features/people/blocks/operations.ts"
import { findBlockOf } from "../../features/people/blocks/store.ts"
import { followOperations } from "../../features/people/follows/operations.ts"
import { findFollow } from "../../features/people/follows/store.ts"
import { path, withQuery } from "../../web/address.ts"
import { formView } from "../../web/form.ts"
import { icon } from "../../web/icon.ts"
import { profileQuery } from "../parts/account/shared.ts"
import { organizationHome } from "./organization.ts"
import { personPage } from "./person.ts"

/** The pages of people and organisations: they show repositories and activity, so they stand where both can be imported. */

const profile: Page = page({
  id: "profile",
  address: "GET /{username}",
  access: onVisibleUser,
  query: profileQuery,
  answer: async (call) => {
    const { db, actor, user } = call
    const bond = actor.kind === "user" && actor.user.id !== user.id ? await bondWith({ ...call, me: actor.user }) : undefined
    if (user.kind === "person") return personPage(call, user, bond)
    return organizationHome({ ...call, organization: user, role: await roleIn(db, actor, user) }, bond)
  },
})

const followUser = form({
  id: "profile.follow",
  address: "POST /{username}/-/follow",
  does: named(followOperations, "userCurrentPutFollow"),
  on: profile,
  done: t("Followed."),
})

const unfollowUser = form({
  id: "profile.unfollow",
  address: "POST /{username}/-/unfollow",
  does: named(followOperations, "userCurrentDeleteFollow"),
  on: profile,
  done: t("Unfollowed."),
})

const blockUser = form({
  id: "profile.block",
  address: "POST /{username}/-/block",
  does: named(blockOperations, "userBlockUser"),
  on: profile,
  also: ["note"],
  query: ({ note = [] }) => ({ note: note[0] ?? "" }),
  done: t("User blocked."),
})

const unblockUser = form({
  id: "profile.unblock",
  address: "POST /{username}/-/unblock",
  does: named(blockOperations, "userUnblockUser"),
  on: profile,
  done: t("User unblocked."),
})

/** What the reader has to do with an account that is not theirs, and can change of it. */
async function bondWith({
  db,
  me,
  user,
  draft,
}: OnUser & Request & { readonly me: User; readonly draft: Draft | undefined }): Promise<Html> {
  const path = { username: user.name }
  const [follow, block] = await Promise.all([
    findFollow.first(db, { followerId: me.id, followedId: user.id }),
    findBlockOf.first(db, { blockedId: user.id, blockerIds: [me.id] }),
  ])
  const button = { path, draft, name: "inline" } as const
  if (block)
    return html`
      <div class="stack tight">
        <p>${icon("no-entry")} You have blocked this user.</p>
        ${formView(unblockUser, { ...button, look: "plain", submit: t("Unblock") })}
      </div>
    `
  return html`
    <div class="stack tight">
      ${
        follow
          ? formView(unfollowUser, { ...button, look: "plain", submit: html`${icon("x")} Unfollow` })
          : formView(followUser, { ...button, submit: html`${icon("person-add")} Follow` })
      }
      ${
        user.kind === "person" &&
        html`
          <details class="small" ${flagged("open", draft?.form === blockUser.id)}>
            <summary class="button small quiet">${icon("no-entry")} Block</summary>
            <p class="muted">
              They can’t follow you, or open issues, pull requests and comments in your repositories. You will both
              stop watching and collaborating on each other’s repositories.
            </p>
            ${formView(blockUser, {
              path,
              draft,
              look: "danger",
              submit: html`Block <bdi>${user.name}</bdi>`,
              fields: [{ kind: "line", name: "note", label: t("Reason"), hint: t("Only visible to you."), maxlength: 255 }],
            })}
          </details>
        `
      }
    </div>
  `
}

export const profilePages: readonly Page[] = [
  profile,
  followUser,
  unfollowUser,
  blockUser,
  unblockUser,

  page({
    id: "profile.repositories",
    address: "GET /{username}/-/repositories",
    access: onVisibleUser,
    query: profileQuery,
    answer: ({ user, reader }) => {
      const query = reader.url.includes("?") ? reader.url.slice(reader.url.indexOf("?")) : ""
      return moved(withQuery(path(user.name) + query, { tab: "repositories" }))
    },
  }),

  page({
    id: "profile.picture",
    address: "GET /{username}.png",
    access: onVisibleUser,
    answer: ({ user }) => moved(avatarPath(user)),
  }),
]
