/**
 * Every key that pages know. Elements name theirs by this record (`shortcut` in components.ts), the script `keys` presses them, and the help (`?`) is made of it: it
 * lists a key on the pages that have what it needs.
 */

export interface ShortcutGroup {
  readonly title: string
  readonly keys: readonly Shortcut[]
}

export interface Shortcut {
  /** `g i` for one after the other. */
  readonly keys: string
  readonly text: string
  /** What a page has on which it works, as a selector; by default an element that names the key. */
  readonly where?: string
  /** Works as this key does. */
  readonly like?: string
}

/** Marks a message for the script, which says it in the language of the page. */
const message = (text: string): string => text

const FIELD = ".composer textarea"
const DIFF = "section.diff"
const REVIEW = "#line-box"
/** What every page of a repository with files has for going to one. */
export const FILES = "[data-files]"

export const SHORTCUTS = [
  {
    title: message("Everywhere"),
    keys: [
      { keys: "?", text: message("Keyboard shortcuts"), where: "body" },
      { keys: "/", text: message("Search") },
      { keys: "Escape", text: message("Close menus and dialogs"), where: "body" },
      { keys: "g d", text: message("Go to the dashboard") },
      { keys: "g n", text: message("Go to notifications") },
    ],
  },
  {
    title: message("Repository"),
    keys: [
      { keys: "g c", text: message("Go to the code") },
      { keys: "g i", text: message("Go to the issues") },
      { keys: "g p", text: message("Go to the pull requests") },
      { keys: "g a", text: message("Go to the actions") },
      { keys: "g b", text: message("Go to the projects") },
      { keys: "g r", text: message("Go to the releases") },
      { keys: "g w", text: message("Go to the wiki") },
      { keys: "g s", text: message("Go to the settings") },
    ],
  },
  {
    title: message("Code"),
    keys: [
      { keys: "t", text: message("Go to file"), where: FILES },
      { keys: "w", text: message("Switch branches or tags") },
      { keys: "l", text: message("Go to line") },
      { keys: "y", text: message("Permalink") },
      { keys: "b", text: message("Blame") },
      { keys: "e", text: message("Edit file") },
      { keys: ".", text: message("Edit file"), like: "e" },
    ],
  },
  {
    title: message("Lists"),
    keys: [
      { keys: "j", text: message("Next row"), where: "main .rows > li" },
      { keys: "k", text: message("Previous row"), where: "main .rows > li" },
      { keys: "c", text: message("New issue") },
    ],
  },
  {
    title: message("Changes"),
    keys: [
      { keys: "j", text: message("Next file"), where: DIFF },
      { keys: "k", text: message("Previous file"), where: DIFF },
      { keys: "↓", text: message("Next line"), where: DIFF },
      { keys: "↑", text: message("Previous line"), where: DIFF },
      { keys: "Shift ↓", text: message("Select lines"), where: DIFF },
      { keys: "n", text: message("Next change"), where: DIFF },
      { keys: "p", text: message("Previous change"), where: DIFF },
    ],
  },
  {
    title: message("Reviews"),
    keys: [
      { keys: "f", text: message("Go to the files") },
      { keys: "c", text: message("Comment on the line, or on the selected lines"), where: REVIEW },
      { keys: "s", text: message("Suggest a change of them"), where: REVIEW },
      { keys: "v", text: message("Mark the file as viewed"), where: "form.viewed" },
      { keys: "r", text: message("Review changes") },
      { keys: "Ctrl G", text: message("Insert a suggestion into the comment"), where: REVIEW },
      { keys: "Ctrl Shift Enter", text: message("Add a single comment"), where: REVIEW },
      { keys: "Alt A", text: message("Approve, in the menu of the review"), where: "#review" },
      { keys: "Alt R", text: message("Request changes, in the menu of the review"), where: "#review" },
      { keys: "Alt C", text: message("Comment, in the menu of the review"), where: "#review" },
    ],
  },
  {
    title: message("Boards"),
    keys: [{ keys: "Alt ←↑→↓", text: message("Move the card"), where: "[data-move]" }],
  },
  {
    title: message("Writing"),
    keys: [
      { keys: "Ctrl Enter", text: message("Send"), where: FIELD },
      { keys: "Ctrl B", text: message("Bold"), where: FIELD },
      { keys: "Ctrl I", text: message("Italic"), where: FIELD },
      { keys: "Ctrl E", text: message("Code"), where: FIELD },
      { keys: "Ctrl K", text: message("Link|markup"), where: FIELD },
    ],
  },
] as const satisfies readonly ShortcutGroup[]

/** The keys that an element can name. */
export type Keys = (typeof SHORTCUTS)[number]["keys"][number]["keys"]
