// One line of a screen on which terminal-text.ts writes text, moves the cursor and edits. The cost of hostile output is bounded:
// the cursor moves over blanks no further than a screen is wide, and edits of a long line stop after a while.

/** The width of a wide screen. Text itself may go further. */
const SCREEN_COLUMNS = 160;

export class TerminalRow {
  /** One character each, with its combining marks. */
  readonly #cells: string[] = [];
  #column = 0;
  /** How many more cells edits may pass over. Further edits are ignored. */
  #work: number;

  constructor(work: number) {
    this.#work = work;
  }

  get text(): string {
    return this.#cells.join("");
  }

  write(text: string): void {
    while (this.#cells.length < this.#column) this.#cells.push(" ");
    for (const character of text) {
      if (character > LAST_BEFORE_MARKS && this.#column > 0 && MARK.test(character)) {
        this.#cells[this.#column - 1] += character;
      } else this.#cells[this.#column++] = character;
    }
  }

  moveTo(column: number): void {
    this.#column = Math.max(0, Math.min(column, Math.max(SCREEN_COLUMNS, this.#cells.length)));
  }

  moveBy(columns: number): void {
    this.moveTo(this.#column + columns);
  }

  /** Deletes cells from the cursor on; the rest of the line moves up. */
  delete(count: number): void {
    if (this.#mayPass(this.#cells.length - this.#column)) this.#cells.splice(this.#column, count);
  }

  insertBlanks(count: number): void {
    const room = Math.min(count, SCREEN_COLUMNS - this.#cells.length);
    if (room > 0 && this.#column < this.#cells.length)
      this.#cells.splice(this.#column, 0, ...Array<string>(room).fill(" "));
  }

  eraseToEnd(): void {
    this.#cells.length = Math.min(this.#cells.length, this.#column);
  }

  eraseToStart(): void {
    if (this.#mayPass(this.#column + 1)) this.#cells.fill(" ", 0, this.#column + 1);
  }

  eraseAll(): void {
    this.#cells.length = 0;
    this.moveBy(0);
  }

  #mayPass(cells: number): boolean {
    this.#work -= Math.max(0, cells);
    return this.#work >= 0;
  }
}

/** Characters that combine with the one before them; none is below U+0300. */
const MARK = /\p{M}|\u200d/u;
const LAST_BEFORE_MARKS = "\u02ff";
