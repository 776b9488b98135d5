# Zips the folder `staged` into ${ARCHIVE}; fixed times and order, so that the same content gives the same bytes.
file(GLOB entries RELATIVE ${CMAKE_CURRENT_BINARY_DIR}/staged staged/*)
list(SORT entries)
file(REMOVE ${ARCHIVE})
execute_process(COMMAND ${CMAKE_COMMAND} -E env TZ=UTC ${CMAKE_COMMAND} -E tar cf ${ARCHIVE} --format=zip
                        "--mtime=2000-01-01 00:00:00" ${entries}
                WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/staged RESULT_VARIABLE result)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "cannot write ${ARCHIVE}")
endif()
