import { onRepositoryUnit, onRepositoryUnitRead } from "../../../access/policies/repositories.ts"
import { refuse } from "../../../core/errors.ts"
import { created, listed, noContent, type Operation, ok, operation } from "../../../core/operation.ts"
import Type from "../../../core/schema.ts"
import { verifications } from "../signatures/verification.ts"
import { presentAnnotatedTag, presentTag } from "./present.ts"
import { AnnotatedTag, CreateTagOption, Tag } from "./records.ts"
import { findReleaseOfTag } from "./releases-store.ts"
import { createTag, deleteTag, requireTagName, taken } from "./rules.ts"
import { findTag, listTags } from "./store.ts"

const common = { tag: "repository", scope: ["repository"] } as const
const readCode = { ...common, access: onRepositoryUnitRead("code") } as const
const writeCode = { ...common, access: onRepositoryUnit("code", "write"), archived: "refused" } as const

export const tagOperations: readonly Operation[] = [
  operation({
    ...readCode,
    id: "repoListTags",
    route: "GET /repos/{owner}/{repo}/tags",
    summary: "List the tags, the newest first",
    paged: true,
    answers: { 200: Type.Array(Tag) },
    handle: async ({ services, db, page, ...on }) => {
      const { rows, total } = await listTags(db, on.repository.id, page)
      return listed(
        rows.map((row) => presentTag(services, on, row)),
        total,
      )
    },
  }),

  operation({
    ...readCode,
    id: "repoGetTag",
    route: "GET /repos/{owner}/{repo}/tags/{tag}",
    summary: "Get a tag by its name",
    answers: { 200: Tag },
    refuses: ["notFound"],
    handle: async ({ services, db, path, ...on }) => {
      const row = await findTag.first(db, { repositoryId: on.repository.id, name: path.tag })
      if (!row) throw refuse.notFound()
      return ok(presentTag(services, on, row))
    },
  }),

  operation({
    ...writeCode,
    id: "repoCreateTag",
    route: "POST /repos/{owner}/{repo}/tags",
    summary: "Create a tag, annotated if a message is given",
    body: CreateTagOption,
    description: "Answered with 201. The status 200 is named because descriptions of this operation that clients were made from name it.",
    answers: { 200: Tag, 201: Tag },
    refuses: ["notFound", "conflict"],
    handle: async ({ services, db, body, actor, repository, owner, permission }) => {
      const on = { repository, owner, permission }
      const { tag_name: name, message, target } = body
      requireTagName(name, "tag_name")
      // A draft creates this tag when it is published.
      if (await findReleaseOfTag.first(db, { repositoryId: repository.id, tagName: name })) throw taken(name)
      const tag = await createTag(services, { ...on, actor }, { name, message, target })
      return created(presentTag(services, on, tag))
    },
  }),

  operation({
    ...writeCode,
    id: "repoDeleteTag",
    route: "DELETE /repos/{owner}/{repo}/tags/{tag}",
    summary: "Delete a tag that has no release",
    answers: { 204: null },
    refuses: ["notFound", "conflict", "invalid"],
    handle: async ({ services, path, actor, repository, owner, permission }) => {
      await deleteTag(services, { repository, owner, permission, actor }, path.tag)
      return noContent()
    },
  }),

  operation({
    ...readCode,
    id: "GetAnnotatedTag",
    route: "GET /repos/{owner}/{repo}/git/tags/{sha}",
    summary: "Get the object of an annotated tag",
    answers: { 200: AnnotatedTag },
    refuses: ["badRequest"],
    handle: async ({ services, db, path, ...on }) => {
      const { objects } = services.git
      const repository = services.git.at(on.repository.storage, on.repository.object_format)
      const id = await objects.expand(repository, path.sha.toLowerCase())
      if (id === undefined || (await objects.info(repository, id))?.type !== "tag")
        throw refuse.badRequest(`[sha]: ${path.sha.slice(0, 100)} names no annotated tag`)
      const tag = await objects.readTag(repository, id)
      const verification = (await verifications(db, services, [tag])).get(tag.id)
      if (!verification) throw new TypeError("what is asked for is answered")
      return ok(presentAnnotatedTag(services, on, tag, verification))
    },
  }),
]
