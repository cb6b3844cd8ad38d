import type { BatchBuilder } from './batch-builder.ts';
import type { StationRegister } from './station-register.ts';

/** Reads observations from the lines of a text. */
export interface LineReader {
  readonly form: string;
  readonly column: string | undefined;
  readonly unit: string | undefined;
  readonly stations: StationRegister;
  /** Number of lines before the first observation. */
  readonly headerLines: number;
  /** Whether the format can have columns of quality and of the day of a composite. */
  readonly hasLineColumns?: true;
  /**
   * Adds the observations of a line to `into`.
   * @throws InvalidInput that states the line and column of the value that cannot be used
   */
  read(text: string, line: number, into: BatchBuilder): void;
}
