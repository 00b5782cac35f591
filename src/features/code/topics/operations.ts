import { onRepository, onRepositoryAsAdministrator, onRepositoryAsAdministratorOnly } from "../../../access/policies/repositories.ts"
import { anyone } from "../../../access/policies/site.ts"
import { listed, noContent, type Operation, operation } from "../../../core/operation.ts"
import { rfc3339 } from "../../../core/record.ts"
import Type from "../../../core/schema.ts"
import { parseStrings } from "../repositories/present.ts"
import { RepoTopicOptions, TopicListResponse, TopicName } from "../repositories/records.ts"
import { addTopic, normalizeTopic, removeTopic, replaceTopics } from "./rules.ts"
import { searchTopics } from "./store.ts"

const shared = { tag: "repository", scope: ["repository"] } as const

export const topicOperations: readonly Operation[] = [
  operation({
    ...shared,
    id: "repoListTopics",
    route: "GET /repos/{owner}/{repo}/topics",
    summary: "List a repository's topics",
    description: "By name.",
    access: onRepository,
    paged: true,
    answers: { 200: TopicName },
    refuses: ["notFound"],
    handle: ({ repository, page }) => {
      const topics = parseStrings(repository.topics)
      return listed({ topics: topics.slice(page.offset, page.offset + page.limit) }, topics.length)
    },
  }),

  operation({
    ...shared,
    id: "repoUpdateTopics",
    route: "PUT /repos/{owner}/{repo}/topics",
    summary: "Replace a repository's topics",
    description: "An empty list takes all of them away.",
    access: onRepositoryAsAdministrator,
    body: RepoTopicOptions,
    answers: { 204: null },
    refuses: ["forbidden", "notFound", "invalid"],
    handle: async ({ services, repository, me, body }) => {
      await services.database.write((tx) => replaceTopics(tx, me, repository.id, body.topics, services.now()))
      return noContent()
    },
  }),

  operation({
    ...shared,
    id: "repoAddTopic",
    route: "PUT /repos/{owner}/{repo}/topics/{topic}",
    summary: "Add a topic to a repository",
    description: "One that it bears already changes nothing.",
    access: onRepositoryAsAdministratorOnly,
    answers: { 204: null },
    refuses: ["forbidden", "notFound", "invalid"],
    handle: async ({ services, repository, me, path }) => {
      await services.database.write((tx) => addTopic(tx, me, repository.id, path.topic, services.now()))
      return noContent()
    },
  }),

  operation({
    ...shared,
    id: "repoDeleteTopic",
    route: "DELETE /repos/{owner}/{repo}/topics/{topic}",
    summary: "Remove a topic from a repository",
    access: onRepositoryAsAdministratorOnly,
    answers: { 204: null },
    refuses: ["forbidden", "notFound", "invalid"],
    handle: async ({ services, repository, me, path }) => {
      await services.database.write((tx) => removeTopic(tx, me, repository.id, path.topic, services.now()))
      return noContent()
    },
  }),

  operation({
    ...shared,
    id: "topicSearch",
    route: "GET /topics/search",
    summary: "Search for topics",
    description: "The most borne first. Only repositories that the caller may know of count, and a topic without any is not found.",
    access: anyone,
    mayBeOld: true,
    paged: true,
    query: { q: Type.String({ description: "part of the topic; empty finds all" }) },
    answers: { 200: TopicListResponse },
    refuses: ["invalid"],
    handle: async ({ db, actor, query, page }) => {
      const { rows, total } = await searchTopics(db, actor, normalizeTopic(query.q), page)
      const topics = rows.map((topic) => ({
        id: topic.id,
        topic_name: topic.name,
        repo_count: topic.repositories,
        created: rfc3339(topic.created_at),
        updated: rfc3339(topic.updated_at),
      }))
      return listed({ topics }, total)
    },
  }),
]
