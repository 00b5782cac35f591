import { type Person, times, type World } from "../support/world.ts"
import type { Examples } from "./example.ts"

const as = (person: Person) => ({ authorization: person.authorization })

/** An issue, called upon by the owner of its repository. */
async function issue(world: World) {
  const owner = await world.person()
  const { owner: name, repo } = await world.repository(owner)
  await world.must(owner, `POST /repos/${name}/${repo}/issues`, { title: "An issue" })
  return { owner, at: `/repos/${name}/${repo}/issues`, ...as(owner), path: { owner: name, repo, index: 1 } }
}

const onIssue = async (world: World) => {
  const { authorization, path } = await issue(world)
  return { authorization, path }
}

async function commented(world: World, size: number) {
  const found = await issue(world)
  const authors = await world.crowd(size)
  const comments: { readonly id: number }[] = []
  for (const author of authors) comments.push(await world.must(author, `POST ${found.at}/1/comments`, { body: "a word" }))
  return { ...found, first: comments[0]?.id ?? 0 }
}

/** A comment of the caller. */
async function onComment(world: World) {
  const { owner, at, authorization, path } = await issue(world)
  const { id } = await world.must<{ id: number }>(owner, `POST ${at}/1/comments`, { body: "a word" })
  return { authorization, path: { ...path, id }, at: `${at}/comments/${id}`, owner }
}

const comment = async (world: World) => {
  const { authorization, path } = await onComment(world)
  return { authorization, path }
}

async function withComments(world: World, size: number) {
  const { authorization, path } = await commented(world, size)
  return { authorization, path }
}

async function withReactions(world: World, size: number) {
  const { at, authorization, path } = await issue(world)
  for (const person of await world.crowd(size)) await world.must(person, `POST ${at}/1/reactions`, { content: "+1" })
  return { authorization, path }
}

/** A file as a browser would send it. */
function file(): FormData {
  const form = new FormData()
  form.append("attachment", new Blob(["some words"]), "notes.txt")
  return form
}

async function attachedToIssue(world: World) {
  const { owner, at, authorization, path } = await issue(world)
  const { id } = await world.must<{ id: number }>(owner, `POST ${at}/1/assets`, file())
  return { authorization, path: { ...path, attachment_id: id } }
}

async function attachedToComment(world: World) {
  const { owner, at, authorization, path } = await onComment(world)
  const { id } = await world.must<{ id: number }>(owner, `POST ${at}/assets`, file())
  return { authorization, path: { ...path, attachment_id: id } }
}

async function reactedTo(world: World) {
  const found = await onComment(world)
  await world.must(found.owner, `POST ${found.at}/reactions`, { content: "heart" })
  return { authorization: found.authorization, path: found.path }
}

export const commentExamples: Examples = {
  issueGetComments: withComments,
  issueGetRepoComments: withComments,
  issueGetComment: comment,
  issueCreateComment: async (world) => ({ ...(await onIssue(world)), body: { body: "a word about #1" } }),
  issueEditComment: async (world) => ({ ...(await comment(world)), body: { body: "other words" } }),
  issueDeleteComment: comment,
  issueTickTask: async (world) => {
    const { owner, at, authorization, path } = await issue(world)
    await world.must(owner, `PATCH ${at}/1`, { body: "- [ ] one\n- [ ] two" })
    return { authorization, path, body: { task: "2", done: true } }
  },
  issueTickCommentTask: async (world) => {
    const { owner, at, authorization, path } = await onComment(world)
    await world.must(owner, `PATCH ${at}`, { body: "- [x] done\n- [ ] to do" })
    return { authorization, path, body: { task: "1", done: false } }
  },
  issueEditCommentDeprecated: async (world) => ({ ...(await comment(world)), body: { body: "other words" } }),
  issueDeleteCommentDeprecated: comment,
  issueGetCommentsAndTimeline: async (world, size) => {
    const { owner, at, authorization, path } = await issue(world)
    await times(size, (index) => world.must(owner, `PATCH ${at}/1`, { title: `Title ${index}` }))
    return { authorization, path }
  },

  issueGetIssueReactions: withReactions,
  issuePostIssueReaction: async (world) => ({ ...(await onIssue(world)), body: { content: "rocket" } }),
  issueDeleteIssueReaction: async (world) => {
    const { owner, at, authorization, path } = await issue(world)
    await world.must(owner, `POST ${at}/1/reactions`, { content: "+1" })
    return { authorization, path, body: { content: "+1" } }
  },
  issueGetCommentReactions: reactedTo,
  issuePostCommentReaction: async (world) => ({ ...(await comment(world)), body: { content: "rocket" } }),
  issueDeleteCommentReaction: async (world) => ({ ...(await reactedTo(world)), body: { content: "heart" } }),

  issueListIssueAttachments: attachedToIssue,
  issueCreateIssueAttachment: async (world) => ({ ...(await onIssue(world)), body: file() }),
  issueGetIssueAttachment: attachedToIssue,
  issueEditIssueAttachment: async (world) => ({ ...(await attachedToIssue(world)), body: { name: "other.txt" } }),
  issueDeleteIssueAttachment: attachedToIssue,
  issueListIssueCommentAttachments: attachedToComment,
  issueCreateIssueCommentAttachment: async (world) => ({ ...(await comment(world)), body: file() }),
  issueGetIssueCommentAttachment: attachedToComment,
  issueEditIssueCommentAttachment: async (world) => ({ ...(await attachedToComment(world)), body: { name: "other.txt" } }),
  issueDeleteIssueCommentAttachment: attachedToComment,
}
