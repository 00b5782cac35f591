/*
 * Toolsets: operations that go together, under a name. A token for one task is given some, and an agent chooses some as its tools. Changes that take an
 * administrator are in none.
 */

/** What is known of an operation before its subject is. */
export interface Asked {
  readonly id: string
  readonly method: string
  readonly path: string
  /** The word of its access rule. */
  readonly needs: string
}

export interface Toolset {
  readonly name: string
  readonly about: string
  readonly has: (asked: Asked) => boolean
}

const IN_REPOSITORY = "/repos/{owner}/{repo}"
const reads = ({ method }: Asked): boolean => method === "GET"
const administers = ({ needs }: Asked): boolean => /administrator$|^owner$/i.test(needs)
const oneOf = (...ids: readonly string[]) => {
  const known: ReadonlySet<string> = new Set(ids)
  return ({ id }: Asked): boolean => known.has(id)
}
/** What is below these words in a repository, for all who need not administer it. */
const below = (...words: readonly string[]) => {
  const prefixes = words.map((word) => `${IN_REPOSITORY}/${word}`)
  return (asked: Asked): boolean =>
    !(administers(asked) && !reads(asked)) && prefixes.some((prefix) => asked.path === prefix || asked.path.startsWith(`${prefix}/`))
}
const any =
  (...sets: readonly ((asked: Asked) => boolean)[]) =>
  (asked: Asked): boolean =>
    sets.some((has) => has(asked))

const contents = any(
  below("contents", "contents-ext", "file-contents", "raw", "media", "git", "commits", "compare", "branches", "diffpatch"),
)

export const TOOLSETS: readonly Toolset[] = [
  {
    name: "search",
    about: "finding repositories, issues, pull requests and people",
    has: oneOf("repoSearch", "issueSearchIssues", "userSearch", "userGetCurrent", "userCurrentListRepos", "orgListRepos"),
  },
  {
    name: "read",
    about: "reading everything in a repository, and fetching it",
    has: (asked) =>
      asked.id === "git.fetch" ||
      asked.id === "repoGetFileContentsPost" ||
      (reads(asked) && !administers(asked) && (asked.path === IN_REPOSITORY || asked.path.startsWith(`${IN_REPOSITORY}/`))),
  },
  {
    name: "propose",
    about: "opening issues and pull requests, commenting, reviewing, and committing to branches",
    has: oneOf(
      "git.push",
      "issueCreateIssue",
      "issueEditIssue",
      "issueCreateComment",
      "issueEditComment",
      "issueAddLabel",
      "repoCreateBranch",
      "repoChangeFiles",
      "repoCreateFile",
      "repoUpdateFile",
      "repoDeleteFile",
      "repoApplyDiffPatch",
      "repoCreatePullRequest",
      "repoEditPullRequest",
      "repoCreatePullReview",
      "repoSubmitPullReview",
      "repoCreatePullReviewCommentReply",
    ),
  },
  { name: "git", about: "fetching and pushing with git", has: oneOf("git.fetch", "git.push") },
  { name: "contents", about: "files, commits and branches", has: contents },
  { name: "issues", about: "issues, labels and milestones", has: below("issues", "labels", "milestones", "assignees") },
  { name: "pulls", about: "pull requests, reviews and merging", has: below("pulls", "reviewers") },
  { name: "releases", about: "releases and tags", has: below("releases", "tags") },
  { name: "actions", about: "workflows, their runs and artifacts", has: below("actions") },
  { name: "statuses", about: "statuses of commits", has: below("statuses", "commits") },
  { name: "projects", about: "boards", has: below("projects") },
  { name: "wiki", about: "pages of the wiki", has: below("wiki") },
]

const byName: ReadonlyMap<string, Toolset> = new Map(TOOLSETS.map((each) => [each.name, each]))

export const isToolset = (name: string): boolean => byName.has(name)

/** Whether the toolset of that name has the operation; no where there is none of that name. */
export const isInToolset = (name: string, asked: Asked): boolean => byName.get(name)?.has(asked) ?? false
