/** A text as it stands in a message: what means something there is quoted. */
export const literal = (text: string): string => text.replace(/'$/, "''").replace(/[{}<>]+/g, "'$&'")
