/** The most topics of a repository. */
export const MOST_TOPICS = 25

const PATTERN = /^[a-z0-9][-.a-z0-9]{0,34}$/

/** A topic as it is stored: trimmed, in lower case. */
export const normalizeTopic = (text: string): string => text.trim().toLowerCase()

/** Whether a normalised text is a valid topic: at most 35 letters, digits, hyphens and dots, starting with a letter or digit. */
export const isTopic = (name: string): boolean => PATTERN.test(name)

/** What {@link isTopic} accepts, as an error message. */
export const TOPIC_RULE = "a topic consists of at most 35 letters, digits, hyphens and dots, and begins with a letter or digit"
