import { onWiki, onWikiToAdd, onWikiToEdit } from "../../../access/policies/wiki.ts"
import { created, listed, noContent, type Operation, ok, operation } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import { createPage, deletePage, editPage } from "./edit.ts"
import { presentPage, presentPages, presentRevisions } from "./present.ts"
import { CreateWikiPageOptions, WikiCommitList, WikiPage, WikiPageMetaData } from "./records.ts"
import { openView } from "./view.ts"

const common = { tag: "repository", scope: ["repository"] } as const
const refuses = ["badRequest", "forbidden", "notFound", "conflict", "tooLarge", "archived"] as const

export const wikiOperations: readonly Operation[] = [
  operation({
    ...common,
    id: "repoCreateWikiPage",
    since: "0.2.0",
    route: "POST /repos/{owner}/{repo}/wiki/new",
    summary: "Create a wiki page",
    description: "The first page makes the wiki.",
    access: onWikiToAdd,
    archived: "refused",
    body: CreateWikiPageOptions,
    answers: { 201: WikiPage },
    refuses,
    handle: async ({ services, me, body, ...on }) => created(await presentPage(services, on, await createPage({ services, me, on }, body))),
  }),

  operation({
    ...common,
    id: "repoGetWikiPage",
    since: "0.2.0",
    route: "GET /repos/{owner}/{repo}/wiki/page/{pageName}",
    summary: "Get a wiki page",
    access: onWiki,
    answers: { 200: WikiPage },
    refuses: ["notFound"],
    handle: async ({ services, path, ...on }) =>
      ok(await presentPage(services, on, { ...(await openView(services, on)), address: path.pageName })),
  }),

  operation({
    ...common,
    id: "repoEditWikiPage",
    since: "0.2.0",
    route: "PATCH /repos/{owner}/{repo}/wiki/page/{pageName}",
    summary: "Edit a wiki page",
    description: "Its content is replaced whole; another title renames it.",
    access: onWikiToEdit,
    archived: "refused",
    body: CreateWikiPageOptions,
    answers: { 200: WikiPage },
    refuses: [...refuses, "invalid"],
    handle: async ({ services, me, path, body, ...on }) =>
      ok(await presentPage(services, on, await editPage({ services, me, on }, path.pageName, body))),
  }),

  operation({
    ...common,
    id: "repoDeleteWikiPage",
    since: "0.2.0",
    route: "DELETE /repos/{owner}/{repo}/wiki/page/{pageName}",
    summary: "Delete a wiki page",
    access: onWikiToEdit,
    archived: "refused",
    answers: { 204: null },
    refuses: ["forbidden", "notFound", "conflict", "tooLarge", "archived"],
    handle: async ({ services, me, path, ...on }) => {
      await deletePage({ services, me, on }, path.pageName)
      return noContent()
    },
  }),

  operation({
    ...common,
    id: "repoGetWikiPages",
    since: "0.2.0",
    route: "GET /repos/{owner}/{repo}/wiki/pages",
    summary: "List wiki pages",
    description: "In the order of the bytes of their files' names.",
    access: onWiki,
    paged: true,
    answers: { 200: Type.Array(WikiPageMetaData) },
    refuses: ["notFound"],
    handle: async ({ services, page, ...on }) => {
      const { pages, total } = await presentPages(services, on, await openView(services, on), page)
      return listed(pages, total)
    },
  }),

  operation({
    ...common,
    id: "repoGetWikiPageRevisions",
    since: "0.2.0",
    route: "GET /repos/{owner}/{repo}/wiki/revisions/{pageName}",
    summary: "List the revisions of a wiki page",
    description: "Newest first, 50 to a page. What it had before under another title is not among them.",
    access: onWiki,
    query: { page: Type.Optional(Type.Integer({ description: "page number, from 1" })) },
    answers: { 200: WikiCommitList },
    refuses: ["notFound"],
    handle: async ({ services, path, query: { page = 1 }, ...on }) => {
      const list = await presentRevisions(services, { ...(await openView(services, on)), address: path.pageName }, page)
      return { ...ok(list), headers: { "X-Total-Count": String(list.count) } }
    },
  }),
]
