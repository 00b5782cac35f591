/** What rendering a text needs to know, and asks. */

/**
 * `plain`: Markdown as it is, no addresses completed. `document`: a file of a repository. `wiki`: a page of a wiki. `comment`: line feeds are kept,
 * and headings are no anchors.
 */
export type Style = "plain" | "document" | "wiki" | "comment"

export interface RepositoryName {
  readonly owner: string
  readonly name: string
}

/** What relative addresses are relative to. Neither base ends in a slash, and no address leads out of them. */
export interface LinkBases {
  /** The address that `/x` in a link is below. */
  readonly pages: string
  /** The address that `/x` in an image is below. */
  readonly media: string
  /** The folder of the text below both, without slashes at its ends; "" is the base itself. */
  readonly folder: string
}

/** Something that a text names. Names of accounts and repositories are as written; so is the prefix of a commit's id. */
export type Mention =
  | { readonly kind: "account"; readonly name: string }
  | { readonly kind: "issue"; readonly repository: RepositoryName; readonly number: number }
  | { readonly kind: "commit"; readonly repository: RepositoryName; readonly id: string }
  /** Lines of a file as it is in a commit, whose id is whole. The first is 1. */
  | {
      readonly kind: "lines"
      readonly repository: RepositoryName
      readonly commit: string
      readonly path: string
      readonly from: number
      readonly to: number
    }

/** What a mention leads to. */
export interface Target {
  readonly href: string
  readonly title?: string
  /** For lines of a file: the lines themselves, where they can be shown, and the commit. */
  readonly lines?: { readonly text: string; readonly first: number; readonly commit: { readonly id: string; readonly href: string } }
}

/**
 * Looks up everything that a text names, at once: a target or undefined for each mention, in their order. There are at most `MOST_MENTIONS`, each
 * once. What the reader may not see is undefined, and stays text.
 */
export type Resolve = (mentions: readonly Mention[]) => Promise<readonly (Target | undefined)[]>

export interface Rendering {
  readonly style: Style
  /** The server's own URL, without a slash at its end. */
  readonly rootUrl: string
  /** Not used by plain texts. */
  readonly links?: LinkBases | undefined
  /** The repository that `#1` and the ids of commits are of; without it they stay text. */
  readonly home?: RepositoryName | undefined
  /** Without it all mentions stay text. */
  readonly resolve?: Resolve | undefined
  /**
   * For a page of this site: our own addresses are paths, because people reach the site by more than one name, and nothing is loaded from elsewhere, so
   * that no one else learns who reads what.
   */
  readonly isForPage?: boolean | undefined
  /** On a page, pictures of other sites are shown by way of this server, at addresses signed with this key; without it they are named. */
  readonly pictureKey?: string | undefined
}

/** The most distinct mentions that are looked up for one text; further ones stay text. */
export const MOST_MENTIONS = 200
