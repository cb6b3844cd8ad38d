import type { Writable } from 'node:stream';

/** Whether nothing of a failed write to standard output was told yet. */
let isTold = false;

/**
 * Keeps errors of standard output and standard error from ending the process, such as those of a full disk or of a reader
 * that has gone. Work goes on, and a log has its next lines when the disk has room again.
 *
 * What a command writes is its result. So a command tells on standard error that its output was lost, and ends with 1; when
 * the reader has gone (`| head -1`) it ends with 1 in silence.
 * @param isService whether the output is a log, whose loss does not matter to the exit code
 */
export function surviveLostOutput(isService: boolean): void {
  survive(process.stderr, () => undefined);
  survive(process.stdout, (error) => {
    if (isService || isTold) return;
    isTold = true;
    process.on('exit', (code) => {
      if (code === 0) process.exitCode = 1;
    });
    if (error.code !== 'EPIPE')
      process.stderr.write(`groundwatch: the output could not be written: ${error.message}\n`);
  });
}

function survive(stream: NodeJS.WriteStream, onError: (error: NodeJS.ErrnoException) => void): void {
  stream.on('error', onError);
  if (stream.isTTY || 'connecting' in stream) return; // terminals and pipes
  // A stream to a file closes itself after an error. Without this, a full disk would silence a log for ever.
  const file: Pick<Writable, '_write'> = stream;
  const write = file._write.bind(stream);
  file._write = (chunk, encoding, done) => {
    write(chunk, encoding, (error) => {
      if (error) onError(error);
      done();
    });
  };
}
