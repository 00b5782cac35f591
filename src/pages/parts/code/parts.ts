import { Mode } from "../../../access/modes.ts"
import { unitMode } from "../../../access/permission.ts"
import { type Html, html } from "../../../core/html.ts"
import { escapePath } from "../../../core/text/escape-path.ts"
import { findNewestBranches } from "../../../features/code/branches/store.ts"
import type { Located, OnCode } from "../../../features/code/contents/locate.ts"
import { findNewestTags } from "../../../features/code/tags/store.ts"
import { codePath, repositoryPath } from "../../../web/address.ts"
import { menu } from "../../../web/components.ts"
import { icon } from "../../../web/icon.ts"
import type { nearestPlace } from "./revisions.ts"

/** What several pages of code have above what they show. */

type View = Parameters<typeof nearestPlace>[1]

/** The path as links to the folders on the way. */
export const pathCrumbs = (call: OnCode, { revision, parts }: Located, view: View): Html =>
  html`
    <nav class="crumbs" aria-label="Path">
      <a class="strong" href="${codePath(call, view, revision)}">${call.repository.name}</a>
      ${parts.map(
        (part, index) =>
          html`
            <span class="sep">/</span>
            ${
              index === parts.length - 1
                ? html`<span class="strong" aria-current="page"><bdi>${part}</bdi></span>`
                : html`<a href="${codePath(call, view, revision, parts.slice(0, index + 1))}"><bdi>${part}</bdi></a>`
            }
          `,
      )}
    </nav>
  `

/** The most branches and tags in the menu; the pages of both have the rest. */
const MOST_IN_MENU = 50

/** A menu of the branches and tags. Whether they have the path is found out for the one that is chosen (`nearestPlace`). */
export async function revisionMenu(call: OnCode, { revision, parts }: Located, view: View): Promise<Html> {
  const { db, repository } = call
  // One more than is shown tells whether there are more.
  const newest = { repositoryId: repository.id, limit: MOST_IN_MENU + 1 }
  const [branches, tags] = [await findNewestBranches(db, newest), await findNewestTags(db, newest)]
  const link = (kind: "branch" | "tag", name: string) =>
    html`
      <a href="${codePath(call, view, { kind, name }, parts)}${parts.length > 0 && "?nearest=true"}" rel="nofollow">
        ${icon(kind === "branch" ? "git-branch" : "tag")}<span class="break">${name}</span>
      </a>
    `
  const label = revision.kind === "commit" ? revision.name.slice(0, 10) : revision.name
  return menu(
    html`
      ${icon(revision.kind === "branch" ? "git-branch" : revision.kind === "tag" ? "tag" : "git-commit")}
      <span class="break">${label}</span>${icon("triangle-down")}
    `,
    html`
      <p>Branches</p>
      ${branches.slice(0, MOST_IN_MENU).map(({ name }) => link("branch", name))}
      ${branches.length > MOST_IN_MENU && html`<a href="${repositoryPath(call)}/branches">All branches</a>`}
      ${
        tags.length > 0 &&
        html`
          <hr>
          <p>Tags</p>
          ${tags.slice(0, MOST_IN_MENU).map(({ name }) => link("tag", name))}
          ${tags.length > MOST_IN_MENU && html`<a href="${repositoryPath(call)}/tags">All tags</a>`}
        `
      }
    `,
    { starts: true, name: "button" },
  )
}

/** The addresses of the editor for a path: those who have signed in may propose a change, from a fork if need be; nothing where no commit can be made. */
export function editing({ actor, permission, repository, owner }: OnCode, { revision, parts }: Located) {
  if (actor.kind === "anonymous" || revision.kind !== "branch" || repository.is_archived === 1 || repository.is_mirror === 1)
    return undefined
  const at = (verb: "_edit" | "_new" | "_upload" | "_delete" | "_diffpatch"): string =>
    `${repositoryPath({ owner, repository })}/${verb}/${escapePath([revision.name, ...parts].join("/"))}`
  return { at, writes: unitMode(permission, repository, "repo.code") >= Mode.write }
}
