/** Why GRIB is not read, and how to convert it. */
export function gribReason(path: string): string {
  return `${path} is GRIB, for which there is no maintained reader here; convert it to NetCDF: grib_to_netcdf -o OUT.nc ${path}, or cdo -f nc4 copy ${path} OUT.nc`;
}
